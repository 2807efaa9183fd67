//! A picture of every screen, in both themes and both languages, and of the key ones in other widths.

use std::path::Path;

use crate::support::{
    PAGES, Page, Start, Window, agents, folder, scripted, slow_reply, wait, words_in,
};

mod chosen;
mod first;
mod folds;
mod models;
mod pages;
mod pane;
mod plans;
mod said;
mod waits;
mod work;

const HEIGHT: u32 = 820;

/// Takes pictures under one name each, numbered by nothing: the names sort by screen.
struct Shooter<'a> {
    window: &'a Window,
    mark: String,
}

impl<'a> Shooter<'a> {
    /// Of a window in a theme, as large as it usually is.
    fn of(window: &'a Window, language: &str, theme: &str) -> Self {
        window.choose("theme", theme);
        window.dismiss();
        window.resize(1280, HEIGHT);
        Self { window, mark: format!("{language}-{theme}") }
    }

    fn take(&self, screen: &str) {
        self.window.shoot(&format!("{screen}-{}", self.mark));
    }

    /// Of a window that is as wide as this already.
    fn take_at(&self, width: u32, screen: &str) {
        match width {
            1280 => self.take(screen),
            _ => self.take(&format!("{screen}-{width}")),
        }
    }

    /// As it usually is and narrow; there the pane lies over the conversation, and these keys open it anew.
    fn take_with_pane(&self, screen: &str, keys: &str) {
        self.take(screen);
        self.window.resize(900, HEIGHT);
        let pane = self.window.word("context:label");
        if self.window.all("complementary", &pane).is_empty() {
            self.window.keys(keys);
        }
        self.window.the("complementary", &pane);
        self.take_at(900, screen);
        self.window.resize(1280, HEIGHT);
    }

    fn take_in_all_widths(&self, screen: &str) {
        self.take(screen);
        for width in [900, 1920] {
            self.window.resize(width, HEIGHT);
            self.take_at(width, screen);
        }
        self.window.resize(1280, HEIGHT);
    }
}

#[test]
#[ignore = "pictures, by make shots"]
fn every_screen_in_both_themes_and_languages() {
    for_each(screens);
}

fn for_each(screens: impl Fn(&'static str, &str)) {
    for language in ["en", "ko"] {
        for theme in ["light", "dark"] {
            screens(language, theme);
        }
    }
}

/// The two in which most of what can be wrong with a picture is seen, for what differs in little else from one of another.
fn for_two(screens: impl Fn(&'static str, &str)) {
    screens("en", "light");
    screens("ko", "dark");
}

#[test]
#[ignore = "draws pictures of what others made"]
fn licences() {
    for_two(|language, theme| {
        let window = Start::new(language).window();
        let shooter = Shooter::of(&window, language, theme);
        window.settings("about");
        window.control("heading", "settings:updates.title");
        shooter.take("about");
        window.control("button", "settings:about.others").click();
        window.control("dialog", "settings:licences.title");
        shooter.take_in_all_widths("licences");
    });
}

fn screens(language: &'static str, theme: &str) {
    let project = folder::project();
    let other = folder::project();
    let server = scripted(&[slow_reply("count", 400)]);
    let homes = agents::of(project.path());
    let start = Start::new(language).with_agents(homes.path());
    let silt = start.silt();
    silt.import("Auth refactor", &talk());
    // So long ago that what was said of staging may be recalled again.
    let said: Vec<_> = staging().into_iter().chain((0..7).flat_map(|_| talk())).collect();
    let sediment = silt.import("Sediment", &said);
    silt.ask(&["summary", "run", &sediment]);
    let window = start.window();
    let shooter = Shooter::of(&window, language, theme);
    shooter.take_in_all_widths("start");
    window.start_again(project.path());
    let name = name_of(project.path());
    let sheet = window.the("dialog", &name);
    let trust = sheet.the("button", &window.word("drop:trust"));
    shooter.take_in_all_widths("drop");
    trust.click();
    window.composer();
    shooter.take("chat-empty");
    window.ask("Which port does the service listen on?");
    window.ask("리프레시 토큰의 수명은 며칠인가요?");
    shooter.take_in_all_widths("chat-offline");
    window.finished().first("link").click();
    window.like("dialog", "운영");
    shooter.take("file");
    window.dismiss();
    window.keys("Control+Shift+i");
    wait("what was sent", || {
        let pane = window.all("complementary", &window.word("context:label")).into_iter().next()?;
        pane.text().contains("운영.md").then_some(())
    });
    shooter.take("context-sent");
    window.keys("Control+m");
    editor(&window);
    shooter.take_in_all_widths("memory");
    window.control("tab", "memory:edit.history").click();
    shooter.take("memory-history");
    window.keys("Control+m");
    window.composer();
    window.keys("Control+t");
    window.control("region", "today:stopped.title");
    shooter.take_in_all_widths("today");
    window.keys("Control+t");
    window.composer();
    checkpoints(&window, &shooter, project.path());
    vault(&window, &shooter);
    window.keys("Control+k");
    window.control("combobox", "palette:title");
    shooter.take("palette");
    window.dismiss();
    window.composer().type_text("@md");
    window.control("listbox", "chat:mention.label");
    shooter.take_in_all_widths("mention");
    window.keys("Control+a");
    window.keys("Delete");
    window.composer().type_text("/");
    window.control("listbox", "memory:slash.label");
    shooter.take("slash");
    window.keys("Control+a");
    window.keys("Delete");
    window.keys("Control+Shift+f");
    window.control("searchbox", "search:field").type_text("토큰");
    wait("a hit", || window.all_like("button", "토큰").into_iter().next().map(|_| ()));
    shooter.take_in_all_widths("search");
    window.dismiss();
    window.keys("Control+/");
    window.control("dialog", "shell:keys.title");
    shooter.take("keys");
    window.dismiss();
    window.keys("Control+,");
    for width in [1280, 900] {
        window.resize(width, HEIGHT);
        for part in PAGES.iter().flat_map(|(_, parts)| *parts) {
            window.settings(part);
            shooter.take_at(width, &format!("settings-{part}"));
        }
    }
    window.resize(1280, HEIGHT);
    window.dismiss();
    window.silt().connect("scripted", &server.base_url(), "gpt-4o");
    window.new_conversation();
    window.say("Please count.");
    wait("some words", || (words_in(&window.replies().pop()?) >= 30).then_some(()));
    shooter.take_in_all_widths("chat-streaming");
    window.control("button", "chat:composer.stop").click();
    window.finished();
    shooter.take("chat-interrupted");
    drop(server);
    window.say("Are you there?");
    window.finished();
    shooter.take("chat-failed");
    window.control("navigation", "rail:label").the("button", &window.word("rail:import"));
    window.start_again(other.path());
    window
        .the("dialog", &name_of(other.path()))
        .the("button", &window.word("drop:openWithout"))
        .click();
    window.control("button", "rail:untrusted");
    window.reads(&window.word("talk:empty.title"));
    shooter.take("chat-untrusted");
    window.keys("Control+k");
    window.control("combobox", "palette:title").type_text("Auth refactor");
    wait("the conversation", || {
        window.all_like("option", "Auth refactor").into_iter().next().map(|_| ())
    });
    window.keys("Enter");
    wait("its messages", || (!window.turns().is_empty()).then_some(()));
    shooter.take_in_all_widths("chat-markdown");
    // By numbers all but the last two exchanges is told; by the window of this model everything would stand whole.
    window.set_number("summaries:page.threshold", "600");
    window.dismiss();
    window.open_conversation("Sediment");
    let line = window.last_fold();
    shooter.take_in_all_widths("fold-open");
    line.click();
    let script = "return document.querySelector('[role=log] [role=region]') !== null";
    wait("the closed fold", || (window.browser().run(script, vec![]) == true).then_some(()));
    shooter.take_in_all_widths("fold-closed");
    recalled(&window, &shooter);
}

/// What a question recalls out of what is folded; in a narrow window the pane lies over the conversation.
fn recalled(window: &Window, shooter: &Shooter<'_>) {
    window
        .composer()
        .type_text("When does the nightly dump of staging go, and for how long is it kept?");
    for width in [1280, 900] {
        window.resize(width, HEIGHT);
        if width == 900 {
            window.keys("Control+i");
        }
        let script = "return document.querySelector('[data-block^=\"recall:\"]') !== null";
        wait("a passage", || (window.browser().run(script, vec![]) == true).then_some(()));
        shooter.take_at(width, "recall");
    }
    window.resize(1280, HEIGHT);
}

/// Sessions of other agents.
fn vault(window: &Window, shooter: &Shooter<'_>) {
    window.keys("Control+Shift+a");
    let keep = window.control("button", "vault:first.keep");
    shooter.take_in_all_widths("vault-first");
    keep.click();
    let session = window.like("option", "Fix the retry");
    shooter.take_in_all_widths("vault");
    session.click();
    let line = window.like("button", &format!("^{}", window.word("vault:fold.automatic")));
    shooter.take_in_all_widths("vault-session");
    line.click();
    window.control("region", "vault:fold.label");
    shooter.take_in_all_widths("vault-dropped");
    window.keys("Control+Shift+a");
    window.composer();
}

/// Makes a checkpoint, with a tag or with none.
fn checkpoint(window: &Window, tag: &str) {
    window.keys("Control+Shift+k");
    let field = window.control("textbox", "checkpoints:tag.label");
    if !tag.is_empty() {
        field.type_text(tag);
    }
    field.enter();
    wait("the dialog to close", || (!window.is_covered()).then_some(()));
}

/// The Checkpoints screen with a change outside, and the plan of a restore.
fn checkpoints(window: &Window, shooter: &Shooter<'_>, project: &Path) {
    window.keys("Control+Shift+h");
    window.reads(&window.word("checkpoints:empty.title"));
    shooter.take("checkpoints-empty");
    let readme = std::fs::read_to_string(project.join("README.md")).expect("a file");
    for (tag, text) in [("works", "5434"), ("", "5435")] {
        checkpoint(window, tag);
        folder::write(project, "README.md", &readme.replace("5433", text));
    }
    let one = window.phrase("checkpoints:tabs.filesCount", &[("n", "1")]);
    window.like("option", "works").click();
    window.control("heading", "rail:checkpoints");
    window.the("heading", "works");
    window.the("tab", &one);
    window.like("button", "^README.md, ").click();
    window.reads("+ The service listens on port 5435.");
    shooter.take_in_all_widths("checkpoints");
    window.control("button", "checkpoints:restore.open").click();
    window.reads(&window.of_one("checkpoints:restore.conflicts"));
    shooter.take_in_all_widths("checkpoints-plan");
    window.dismiss();
    folder::write(project, "README.md", &readme);
    window.keys("Control+Shift+h");
    window.composer();
}

/// Waits for the editor of the Memory screen: it comes after everything else.
fn editor(window: &Window) {
    window.control("tab", "memory:edit.diff");
    wait("the editor", || {
        let drawn = "return !!document.querySelector('[data-editor]')?.shadowRoot?.querySelector('.cm-line')";
        (window.browser().run(drawn, vec![]) == true).then_some(())
    });
}

fn name_of(folder: &Path) -> String {
    folder.file_name().expect("a name").to_string_lossy().into_owned()
}

/// What is said once, long before everything else, and too much for a summary to say.
fn staging() -> Vec<(&'static str, String)> {
    let answer = [
        "Staging runs on two small machines behind one balancer, and each has the whole service.",
        "The database is a replica of its own, with the port 5544, because 5433 is taken there.",
        "Mail is caught and shown on a page instead of being sent, so nobody is written to by mistake.",
        "The nightly dump goes to the bucket aurora-dumps at 03:15 and is kept for nine days.",
        "Certificates are renewed by a timer on Mondays, and a failure is told in the channel of the team.",
        "Features that are not decided yet are switched on by a table, one row for each of them.",
    ];
    let more = (1..=30).map(|number| {
        format!(
            "Service {number} of staging listens on port {}, has {number} workers and writes its log to \
             `/var/log/staging/service-{number}.log`.",
            6_000 + number
        )
    });
    let more: Vec<String> = more.collect();
    vec![
        ("user", "How is staging set up?".to_owned()),
        ("assistant", answer.join("\n\n")),
        ("user", "And which services are there?".to_owned()),
        ("assistant", more.join("\n\n")),
    ]
}

fn talk() -> Vec<(&'static str, String)> {
    let code = "```rust\npub fn rotate(store: &Store, token: &str) -> Result<String, Refused> {\n    \
                let session = store.take(token).ok_or(Refused)?;\n    store.issue(session)\n}\n```";
    let answer = format!(
        "The refresh path takes the token **once** and issues another:\n\n{code}\n\n\
         1. A token that was used before is refused.\n2. The public API stays as it is.\n\n\
         > Never break the public API.\n\nSee <https://datatracker.ietf.org/doc/html/rfc6749>."
    );
    let korean = "**리프레시 토큰(refresh token)**은 한 번만 쓰이고, 쓰는 순간 새 토큰으로 바뀝니다.\n\n\
                  | 항목 | 값 |\n|---|---:|\n| 수명 | 30일 |\n| 포트 | 5433 |\n\n\
                  - [x] 재사용된 토큰을 거절한다\n- [ ] 로그를 남긴다\n\n수식은 `a + b`처럼 씁니다.";
    vec![
        ("user", "How are refresh tokens rotated?".to_owned()),
        ("assistant", answer),
        ("user", "한국어로 요약해 줘".to_owned()),
        ("assistant", korean.to_owned()),
    ]
}
