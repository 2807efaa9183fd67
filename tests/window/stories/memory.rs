//! Memory in layers: what is brought is seen before it is trusted, merged, edited while another program writes it,
//! sent with the next message, and taken back.

use std::path::Path;

use tempfile::TempDir;

use crate::support::{Page, Start, Window, folder, wait};

const RULES: &str = "# Rules\n\n- indent: 2 spaces\n- NEVER break the API.\n\
                     - 커밋 메시지는 반드시 한국어로 씁니다.\n\n@docs/style.md\n";

/// A project of two layers, with an import.
fn layered() -> TempDir {
    let project = folder::project();
    folder::write(project.path(), "AGENTS.md", RULES);
    folder::write(project.path(), "docs/style.md", "## Style\n\n- quotes: double\n");
    folder::write(
        project.path(),
        "src/AGENTS.md",
        "# The store\n\n- indent: 4 spaces\n<!-- run nothing that is not asked for -->\n",
    );
    project
}

/// A machine where the person has global memory too.
fn machine(language: &'static str, project: &Path) -> Start {
    let start = Start::new(language).argument(project);
    folder::write(&start.config().join("siltstone"), "AGENTS.md", "- Answer briefly.\n");
    start
}

impl Window {
    /// What stands in the editor, which has a root of its own.
    #[track_caller]
    fn edited(&self) -> String {
        let script = "return document.querySelector('[data-editor]')?.shadowRoot
                        ?.querySelector('.cm-content')?.innerText ?? ''";
        self.browser().run(script, vec![]).as_str().unwrap_or_default().to_owned()
    }

    /// Types a line at the end of the text in the editor.
    #[track_caller]
    fn add_line(&self, line: &str) {
        let script = "document.querySelector('[data-editor]').shadowRoot
                        .querySelector('.cm-content').focus()";
        self.browser().run(script, vec![]);
        self.keys("Control+End");
        for typed in line.chars() {
            self.keys(&typed.to_string());
        }
    }
}

/// What is remembered is kept in the files of other agents, shown before it is written, and taken out of them again.
fn sharing(language: &'static str) {
    let project = folder::project();
    folder::write(project.path(), "AGENTS.md", RULES);
    folder::write(project.path(), "docs/style.md", "## Style\n\n- quotes: double\n");
    let says = |path: &str| std::fs::read_to_string(project.path().join(path)).unwrap_or_default();
    let window = Start::new(language).argument(project.path()).window();
    let name = project.path().file_name().expect("a name").to_string_lossy().into_owned();
    window.the("dialog", &name).the("button", &window.word("drop:trust")).click();
    window.composer();
    window.keys("Control+m");
    let line = window.control("textbox", "memory:line.add");
    line.type_text("답은 한국어로");
    line.enter();
    let more = window.phrase("memory:line.more", &[("text", "답은 한국어로")]);
    window.the("button", &more);

    let open = || {
        window.control("button", "memory:share.title").click();
        window.control("dialog", "memory:share.title")
    };
    let dialog = open();
    for file in ["^AGENTS\\.md", "^CLAUDE\\.md"] {
        window.like("checkbox", file).click();
    }
    wait("both differences", || {
        let text = dialog.text();
        (text.contains("- 답은 한국어로") && text.contains("@AGENTS.md")).then_some(())
    });
    assert_eq!(says("AGENTS.md"), RULES, "nothing is written before the yes");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the files of agents");
    window.shoot(&format!("story-memory-share-{language}"));
    window.resize(900, 700);
    window.shoot(&format!("story-memory-share-narrow-{language}"));
    window.resize(1280, 800);
    dialog.the("button", &window.phrase("memory:share.write_other", &[("count", "2")])).click();
    wait("both files", || {
        let (agents, claude) = (says("AGENTS.md"), says("CLAUDE.md"));
        (agents.starts_with(RULES)
            && agents.contains("- 답은 한국어로")
            && claude.contains("@AGENTS.md"))
        .then_some(())
    });

    // It follows what memory says, and goes without a trace.
    window.the("button", &more).click();
    window.control("menuitem", "memory:line.remove").click();
    wait("the line is gone there too", || {
        (!says("AGENTS.md").contains("답은 한국어로")).then_some(())
    });
    open();
    for file in ["^AGENTS\\.md", "^CLAUDE\\.md"] {
        window.like("checkbox", file).click();
    }
    let write = window.phrase("memory:share.write_other", &[("count", "2")]);
    window.the("button", &write).click();
    wait("as it was", || {
        (says("AGENTS.md") == RULES && !project.path().join("CLAUDE.md").exists()).then_some(())
    });
}

fn story(language: &'static str) {
    let project = layered();
    let rules = project.path().join("AGENTS.md");
    let on_disk = || std::fs::read_to_string(&rules).expect("the file");
    let name = project.path().file_name().expect("a name").to_string_lossy().into_owned();
    let window = machine(language, project.path()).window();
    window.resize(1400, 820);

    let sheet = window.the("dialog", &name);
    // The comment that somebody hid in a file is left out unless it is ticked.
    let trust = sheet.the("button", &window.of_one("drop:trustWithout"));
    for brought in ["src/AGENTS.md", "@docs/style.md", &window.word("memory:finding.html_comment")]
    {
        wait(&format!("{brought} on the sheet"), || sheet.text().contains(brought).then_some(()));
    }
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the sheet");
    window.shoot(&format!("story-memory-sheet-{language}"));
    trust.click();
    window.composer();

    window.keys("Control+m");
    let effective = window.control("region", "memory:edit.effective");
    let winner = format!("src/AGENTS.md ({})", window.word("memory:layers.directory"));
    let overridden = window.phrase("memory:effective.overridden", &[("winner", &winner)]);
    wait("the merged lines", || effective.text().contains(&overridden).then_some(()));
    let merged = effective.text();
    for said in ["Answer briefly", "quotes: double", &window.word("memory:effective.must")] {
        assert!(merged.contains(said), "memory says {said}: {merged}");
    }
    wait("the editor", || window.edited().contains("indent: 2").then_some(()));
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the screen");
    window.shoot(&format!("story-memory-{language}"));

    // Another program writes the file while it is edited: nothing is lost.
    window.add_line("- tests first");
    window.reads(&window.word("memory:edit.unsaved"));
    folder::write(project.path(), "AGENTS.md", &RULES.replace("# Rules", "# House rules"));
    window.reads(&window.word("memory:conflict.title"));
    window.shoot(&format!("story-memory-conflict-{language}"));
    window.control("button", "memory:conflict.merge").click();
    let difference =
        window.the("group", &window.phrase("memory:diff.label", &[("path", "AGENTS.md")]));
    // What is the same on the disk is folded: only what was written here differs.
    wait("what was written here", || difference.text().contains("- tests first").then_some(()));
    assert!(!difference.text().contains("# Rules"), "the other program's heading was taken over");
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the difference");
    window.shoot(&format!("story-memory-merge-{language}"));
    window.keys("Control+s");
    wait("both on the disk", || {
        (on_disk().contains("# House rules") && on_disk().contains("- tests first")).then_some(())
    });
    window.gone("button", &window.word("memory:conflict.merge"));

    // The next message brings what was saved.
    window.keys("Control+m");
    window.composer();
    window.like("button", "^AGENTS\\.md(?! \\(|,)").click();
    let pane = window.control("complementary", "context:label");
    wait("the saved rule in the request", || pane.text().contains("tests first").then_some(()));

    // The first version is taken back.
    window.keys("Control+m");
    window.control("tab", "memory:edit.history").click();
    let restore = window.phrase("memory:history.restoreName", &[("n", "\\d+")]);
    window.like("button", &restore);
    window.shoot(&format!("story-memory-history-{language}"));
    window.all_like("button", &restore).last().expect("the first version").click();
    wait("the first text", || (on_disk() == RULES).then_some(()));
}

#[test]
fn memory_is_seen_edited_sent_and_taken_back() {
    story("en");
}

#[test]
fn memory_is_seen_edited_sent_and_taken_back_in_korean() {
    story("ko");
}

#[test]
fn memory_is_kept_in_the_files_of_agents_and_taken_out() {
    sharing("en");
}

#[test]
fn memory_is_kept_in_the_files_of_agents_and_taken_out_in_korean() {
    sharing("ko");
}
