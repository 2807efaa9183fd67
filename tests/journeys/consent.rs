//! What the person says yes or no to is what they were shown: the files of a folder as they stood in the question, the
//! arguments of a call as a server gets them; and a no holds also where a yes lies around it.

use std::sync::Arc;

use serde_json::json;
use siltstone_contract::{
    AgreeMemory, AgreedFile, ApprovalAnswer, ListPaths, OpenProject, ProbeProject, ProbeView,
    ProjectRef, TrustProject,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::project::{ProbeWarning, Trust};
use siltstone_test_servers::mcp_hostile;
use siltstone_test_servers::until::until;

use crate::mcp::{program, set, tested, trust};
use crate::runs::{Desk, call, say};
use crate::scripted::{Scripted, Step};
use crate::world::{Journey, write};

async fn probe(journey: &Journey) -> ProbeView {
    let path = journey.project.path().display().to_string();
    let request = ProbeProject { path, probe_id: "p".into() };
    journey.app.project_probe(request, Arc::new(|_| ())).await.unwrap()
}

async fn trusts(journey: &Journey, seen: Vec<AgreedFile>) -> ProjectId {
    let path = journey.project.path().display().to_string();
    let trust = Some(Trust::Trusted);
    let request = OpenProject { path, trust, this_computer_only: None, seen };
    journey.app.project_open(request).await.unwrap().id
}

/// All that the newest request says.
fn sent(desk: &Desk) -> String {
    format!("{:?}", desk.asked().last().unwrap())
}

#[tokio::test]
async fn trust_is_in_the_files_that_were_shown_and_what_changed_since_is_asked_about() {
    let desk = Desk::asking(Scripted::answering(|_| say("Fine."))).await;
    let (journey, app) = (&desk.journey, &desk.journey.app);
    app.project_forget(ProjectRef { id: desk.project }).await.unwrap();
    write(&journey.project, "AGENTS.md", "# Rules\n\nSHOWN root. See @docs/rules.md\n");
    write(&journey.project, "docs/rules.md", "SHOWN import.\n");
    write(&journey.project, "src/AGENTS.md", "SHOWN nested.\n");
    write(&journey.project, "src/a.rs", "fn a() {}\n");
    let shown = probe(journey).await;
    assert_eq!(shown.probe.warnings, [ProbeWarning::StillWritten]);
    let paths: Vec<&str> = shown.seen.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["AGENTS.md", "docs/rules.md", "src/AGENTS.md"]);

    // While the person reads.
    write(&journey.project, "AGENTS.md", "# Rules\n\nUNSEEN root. See @docs/rules.md\n");
    write(&journey.project, "CLAUDE.md", "UNSEEN file.\n");
    let project = trusts(journey, shown.seen).await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "What do the rules for @src/a.rs say?").await;
    let request = sent(&desk);
    assert!(request.contains("SHOWN nested."), "{request}");
    assert!(!request.contains("UNSEEN"), "{request}");
    let changes = app.memory_changes(ProjectRef { id: project }).await.unwrap();
    let asked: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(asked, ["AGENTS.md", "CLAUDE.md"]);

    let files = changes.into_iter().map(|it| AgreedFile { path: it.path, hash: it.hash });
    let agree = AgreeMemory { project_id: project, files: files.collect() };
    app.memory_agree(agree).await.unwrap();
    journey.ask(id, "And now, what do the rules say?").await;
    let request = sent(&desk);
    for words in ["UNSEEN root.", "UNSEEN file.", "SHOWN import."] {
        assert!(request.contains(words), "{words}: {request}");
    }
}

#[tokio::test]
async fn an_answer_that_shows_nothing_agrees_to_nothing_new() {
    let desk = Desk::asking(Scripted::answering(|_| say("Fine."))).await;
    let (journey, id) = (&desk.journey, desk.project);
    for trust in [Trust::Untrusted, Trust::Trusted] {
        if trust == Trust::Trusted {
            write(&journey.project, "CLAUDE.md", "UNSEEN file.\n");
        }
        journey.app.project_trust(TrustProject { id, trust }).await.unwrap();
    }
    journey.ask(desk.id, "What do the rules say about the API?").await;
    let request = sent(&desk);
    assert!(request.contains("Never break the public API."), "{request}");
    assert!(!request.contains("UNSEEN"), "{request}");
    let changes = journey.app.memory_changes(ProjectRef { id }).await.unwrap();
    assert_eq!(changes.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["CLAUDE.md"]);
}

const NESTED: &str = "vendor/theirs [1]";

/// A folder in the trusted one, with rules, a text and a name that means something in patterns.
fn nested(journey: &Journey) {
    write(&journey.project, &format!("{NESTED}/AGENTS.md"), "NESTED rule of theirs.\n");
    write(&journey.project, &format!("{NESTED}/note.md"), "NESTED lighthouse keeper of theirs.\n");
    write(&journey.project, "vendor/ours.md", "Our lighthouse keeper.\n");
}

#[tokio::test]
async fn a_no_holds_inside_of_a_trusted_folder() {
    let note = format!("{NESTED}/note.md");
    let rules = format!("{NESTED}/AGENTS.md");
    let tools = [
        call("read", "read_file", json!({"path": note})),
        call("rules", "read_file", json!({"path": rules})),
        call("memory", "read_memory", json!({"path": NESTED})),
        call("search", "search_files", json!({"pattern": "keeper"})),
        call("find", "find_files", json!({"pattern": "**/*.md"})),
        call("list", "list_files", json!({"path": "vendor"})),
        call("edit", "edit_file", json!({"path": note, "old": "lighthouse", "new": "x"})),
    ];
    let looks = || [&tools[..], &[Step::Finish]].concat();
    let desk = Desk::of([say("One."), looks(), say("Two."), say("Three.")]).await;
    let (journey, app) = (&desk.journey, &desk.journey.app);
    nested(journey);
    let seen = probe(journey).await.seen;
    assert!(seen.iter().any(|it| it.path == rules), "{seen:?}");
    trusts(journey, seen).await;
    let question = format!("What does the lighthouse keeper do in @\"{note}\" and {note}?");
    journey.ask(desk.id, &question).await;
    assert!(sent(&desk).contains("NESTED"), "the yes around it holds until it is opened itself");

    let inner = journey.open_as(&journey.project.path().join(NESTED), Trust::Untrusted).await;
    journey.ask(desk.id, &question).await;
    let asked = desk.asked();
    let before = asked.len() - 2;
    for request in &asked[before..] {
        // What was said before the no stands where it was said.
        let sections =
            request.sections.iter().filter(|it| !format!("{:?}", it.kind).contains("Turn"));
        for section in sections {
            assert!(!section.text.contains("NESTED"), "{section:?}");
        }
    }
    for (id, text, is_error) in desk.results().await {
        assert!(!text.contains("NESTED"), "{id}: {text}");
        assert!(is_error || !text.contains("note.md"), "{id}: {text}");
        assert!(is_error || ["search", "find", "list", "memory"].contains(&id.as_str()), "{id}");
    }
    let query = ListPaths { project_id: desk.project, query: "note".into(), limit: 20 };
    assert_eq!(app.project_paths(query).await.unwrap(), []);
    let changes = app.memory_changes(ProjectRef { id: desk.project }).await.unwrap();
    assert_eq!(changes, [], "what does not go is not asked about");
    let shown = probe(journey).await;
    assert!(shown.seen.iter().all(|it| !it.path.starts_with(NESTED)), "{:?}", shown.seen);

    // Taken back, it goes as before; the rules are asked about as any that came since.
    let request = TrustProject { id: inner, trust: Trust::Trusted };
    app.project_trust(request).await.unwrap();
    until("the file to be named again", async || {
        let query = ListPaths { project_id: desk.project, query: "note".into(), limit: 20 };
        !app.project_paths(query).await.unwrap().is_empty()
    })
    .await;
}

#[tokio::test]
async fn what_is_asked_about_is_what_a_server_gets_and_a_name_that_is_given_twice_is_refused() {
    let exact = r#"{"channel_id":1234567890123456789,"share":0.10,"to":"a\u202eb","n":1e2}"#;
    let twice = r#"{"channel_id":1,"channel_id":2}"#;
    let echo = |id, arguments: &str| Step::Call {
        id,
        name: "mcp__bank__echo",
        arguments: arguments.to_owned(),
    };
    let desk =
        Desk::of([vec![echo("a", exact), echo("b", twice), Step::Finish], say("Done.")]).await;
    let at = Some(desk.project);
    let beside = desk.journey.data.path().join("beside");
    let item = set(&desk.journey, at, "bank", program(mcp_hostile("fine", &beside).unwrap())).await;
    trust(&desk.journey, &item, "").await;
    desk.journey.app.mcp_test(tested(at, "bank")).await.unwrap();
    desk.journey.send(desk.id, "Pay it with the tool.").await;
    let approval = desk.waiting().await;
    let lines = [
        "{",
        "  \"channel_id\": 1234567890123456789,",
        "  \"n\": 100.0,",
        "  \"share\": 0.1,",
        "  \"to\": \"a\u{202e}b\"",
        "}",
    ];
    let mut shown: Vec<&str> = approval.arguments.lines().collect();
    let mut expected = lines.to_vec();
    // In whichever order names are kept.
    for of in [&mut shown, &mut expected] {
        of.iter_mut().for_each(|line| *line = line.trim_end_matches(','));
        of.sort_unstable();
    }
    assert_eq!(shown, expected);
    desk.answer(&approval, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    let results = desk.results().await;
    let got: serde_json::Value = serde_json::from_str(&results[0].1).unwrap();
    assert_eq!(got["channel_id"], json!(1_234_567_890_123_456_789_u64));
    assert!(results[1].2 && results[1].1.contains("is given twice"), "{results:?}");
}
