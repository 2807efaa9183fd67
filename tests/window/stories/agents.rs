//! Sessions of other agents: asked for, kept, found, read with what a compaction dropped, and forgotten, in both themes and
//! in the narrowest window, where nothing is cut off.

use std::path::Path;

use crate::support::{Page, Start, Window, agents, folder, wait};

/// In the records: the title of a session, and a rule of it that its compaction dropped.
const TITLE: &str = "Fix the retry";
const RULE: &str = "Never change src/legacy/orders.rs.";

fn story(language: &'static str, theme: &str) {
    let project = folder::project();
    let homes = agents::of(project.path());
    let start = Start::new(language).with_agents(homes.path()).argument(project.path());
    start.silt().open_project(project.path());
    let window = start.window();
    window.composer();
    window.choose("theme", theme);
    window.dismiss();
    window.resize(1280, 820);
    let mark = format!("{language}-{theme}");

    window.keys("Control+Shift+a");
    let yes = window.control("button", "vault:first.keep");
    window.is_sound("vault-first", &mark);
    yes.click();
    window.like("option", TITLE);
    window.is_sound("vault-list", &mark);
    // What an agent writes while the window is open is kept, and nobody has to ask.
    window.reads(&window.word("vault:following"));
    agents::begins(homes.path(), "Where does the cache go?");
    window.like("option", "Where does the cache go");

    window.control("searchbox", "vault:filter.words").type_text("retry");
    // The one that is called so, and below it where it was said.
    wait("what fits", || (window.all_like("option", "[Rr]etry").len() > 1).then_some(()));
    window.is_sound("vault-search", &mark);
    window.control("searchbox", "vault:filter.words").click();
    window.keys("Down");
    window.keys("Enter");
    window.the("main", TITLE);
    let line = window.like("button", &format!("^{}", window.word("vault:fold.automatic")));
    window.is_sound("vault-session", &mark);
    line.click();
    window.control("region", "vault:fold.label");
    window.is_sound("vault-dropped", &mark);

    // What was dropped is kept in memory, and found where it was said.
    let name = project.path().file_name().expect("a name").to_string_lossy().into_owned();
    let keep = window.phrase("vault:fold.keep", &[("project", &name), ("text", RULE)]);
    window.the("button", &keep).click();
    window.reads(&window.word("vault:fold.kept"));
    assert!(remembers(&window, project.path()), "the rule is in the project's memory");
    window.the("button", RULE).click();
    let focused = "return document.activeElement.getAttribute('role') === 'article' &&
                   document.activeElement.innerText.includes(arguments[0])";
    wait("the original", || {
        (window.browser().run(focused, vec![RULE.into()]) == true).then_some(())
    });

    // It goes on with another agent, after what goes and what stays behind was shown.
    window.control("button", "vault:continue.open").click();
    let here = window.control("button", "vault:continue.do.here");
    wait("what goes", || {
        (here.tell("return String(arguments[0].disabled)") == "false").then_some(())
    });
    window.is_sound("vault-continue", &mark);
    window.choose_like(&window.control("combobox", "vault:continue.where"), "Codex");
    let write = window.control("button", "vault:continue.do.agent");
    wait("what goes to an agent", || {
        (write.tell("return String(arguments[0].disabled)") == "false").then_some(())
    });
    write.click();
    window.the("dialog", &window.phrase("vault:continue.written", &[("name", "Codex")]));
    window.reads("codex resume");
    window.is_sound("vault-handed-over", &mark);
    window.control("button", "vault:continue.done").click();
    window.gone("dialog", &window.phrase("vault:continue.written", &[("name", "Codex")]));

    window.choose_of_menu(
        &window.control("button", "vault:session.more"),
        &window.word("vault:forget.open"),
    );
    window.is_sound("vault-forget", &mark);
    window.control("button", "vault:forget.do").click();
    // Of the words that were looked for nothing is left.
    window.control("button", "vault:empty.all").click();
    wait("a list without it", || {
        let all = window.all_like("option", ".");
        (!all.is_empty() && window.all_like("option", TITLE).is_empty()).then_some(())
    });
    window.control("button", "vault:folders.open").click();
    window.control("dialog", "vault:folders.title");
    window.is_sound("vault-folders", &mark);
    window.dismiss();

    // On Today of the project stand those that worked there, and from there they may go into its requests.
    window.keys("Control+t");
    window.control("region", "today:sessions.title");
    window.control("switch", "today:sessions.recall").click();
    let path = project.path().display().to_string();
    let allowed =
        || window.silt().ask(&["recall", "sessions", "--project", &path])["allowed"].as_bool();
    wait("the yes to their passages", || (allowed() == Some(true)).then_some(()));
    window.is_sound("today-sessions", &mark);
    window.keys("Control+n");
    window.write_to_recall("How far is the migration for refresh tokens?", "Codex");
    window.is_sound("request-sessions", &mark);
}

fn remembers(window: &Window, project: &Path) -> bool {
    let told = window.silt().ask(&["memory", "show", "--project", &project.display().to_string()]);
    told.to_string().contains(RULE)
}

#[test]
fn sessions_of_agents_are_kept_read_and_forgotten() {
    story("en", "light");
}

#[test]
fn sessions_of_agents_are_kept_read_and_forgotten_in_korean_and_in_the_dark() {
    story("ko", "dark");
}
