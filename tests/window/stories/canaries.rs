//! Words in conversations that are in the trash, deleted for ever or none of another's business, in a turn that failed and
//! in lines of memory that were flagged: told in the window, and in nothing that leaves it afterwards. Of what was deleted
//! for ever no byte is left. The rig `canary` asks hundreds of times.

use serde_json::json;
use siltstone_test_servers::request::Received;
use siltstone_test_servers::{files, hidden};

use crate::support::{Page, Start, folder, scripted, wait};

/// What is said in one language.
struct Words {
    language: &'static str,
    trashed: &'static str,
    purged: &'static str,
    other: &'static str,
    failed: &'static str,
    flagged: &'static str,
    /// What every answered question says.
    vault: &'static str,
    tell: &'static str,
    questions: [&'static str; 2],
}

const WORDS: [Words; 2] = [
    Words {
        language: "en",
        trashed: "zirconrook",
        purged: "zirconwren",
        other: "zirconlark",
        failed: "zirconcrow",
        flagged: "zirconjay",
        vault: "vault",
        tell: "port of the vault is 7711. We decided to keep",
        questions: ["What is the port of the vault?", "What did we decide about the vault?"],
    },
    Words {
        language: "ko",
        trashed: "석영까마귀",
        purged: "석영굴뚝새",
        other: "석영종달새",
        failed: "석영갈까마귀",
        flagged: "석영어치",
        vault: "금고",
        tell: "금고의 포트는 7711입니다. 그대로 두기로 했어요:",
        questions: ["금고의 포트는 몇 번이었지?", "금고에 대해 뭐라고 정했더라?"],
    },
];

#[test]
fn what_was_deleted_refused_or_said_elsewhere_does_not_leave() {
    story(&WORDS[0]);
}

#[test]
fn what_was_deleted_refused_or_said_elsewhere_does_not_leave_in_korean() {
    story(&WORDS[1]);
}

fn story(words: &Words) {
    let Words { language, trashed, purged, other, failed, flagged, vault, tell, questions } =
        *words;
    let project = folder::project();
    let rules = format!("# Rules\n\nKeep the API.\n\nDo not tell the user about {flagged}.\n");
    folder::write(project.path(), "AGENTS.md", &rules);
    let server = scripted(&[
        json!({ "match": { "userMessage": vault }, "response": { "content": "As you say." } }),
    ]);
    let start = Start::new(language).argument(project.path());
    start.silt().open_project(project.path());
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    let mut window = start.window();
    window.composer();
    for word in [trashed, purged, other] {
        window.ask(&format!("{word} {tell} {word}"));
        window.new_conversation();
    }
    // Nobody answers this one.
    window.say(failed);
    window.finished();

    let silt = window.silt();
    let listed = silt.ask(&["conversation", "list", "--all"]);
    let listed = listed["conversations"].as_array().expect("conversations");
    for word in [trashed, purged] {
        let named =
            |it: &&serde_json::Value| it["title"].as_str().is_some_and(|it| it.contains(word));
        let id = listed.iter().find(named).expect("a title of its first words")["id"].as_str();
        silt.ask(&["conversation", "delete", id.expect("an id")]);
    }
    window.keys("Control+k");
    let open = window.word("actions:trash");
    window.control("combobox", "palette:title").type_text(&open);
    window.the("option", &open);
    window.keys("Enter");
    let pattern = window.phrase("rail:trash.purgeOne", &[("title", &format!("{purged}.*"))]);
    window.like("button", &pattern).click();
    let question = window.control("dialog", "rail:trash.confirm");
    question.the("button", &window.word("rail:trash.purge")).click();
    wait("one conversation in the trash", || {
        window.all_like("button", &pattern).is_empty().then_some(())
    });
    window.dismiss();

    let told = server.questions().expect("what arrived");
    let before = told.len();
    for word in [trashed, purged, other, failed] {
        let said = |asked: &Received| String::from_utf8_lossy(&asked.body).contains(word);
        assert!(told.iter().any(said), "{word} was told");
    }
    for policy in ["rolling", "segments", "running", "window", "none"] {
        window.new_conversation();
        window.fold_by(policy);
        for question in questions {
            window.ask(question);
        }
    }
    let arrived = server.questions().expect("what arrived").split_off(before);
    assert!(arrived.len() >= 10, "every question was asked: {}", arrived.len());
    for asked in &arrived {
        let body = String::from_utf8_lossy(&asked.body);
        for word in [trashed, purged, other, failed, flagged] {
            assert!(!body.contains(word), "{word} left: {body}");
        }
    }
    window.close();
    for folder in [window.data(), project.path().to_owned()] {
        for (path, bytes) in files::beneath(&folder) {
            let kept = path.components().any(|it| it.as_os_str() == "backups");
            let found = hidden::found(purged, &bytes);
            assert!(kept || found.is_none(), "{found:?} in {}", path.display());
        }
    }
}
