//! What is typed instead of an id: `last`, a number alone, the reply for its turn.

use serde_json::json;

use crate::desk::{Desk, conversation_of, path_of};

#[test]
fn the_last_one_is_named_wherever_an_id_is_asked() {
    let desk = Desk::trusted();
    desk.chat(&["Which port?"]);
    let id = conversation_of(&desk.chat(&["Which rules are there?"]));
    let shown = desk.json(&["conversation", "show"]);
    assert_eq!(shown["conversation"]["item"]["id"], *id);
    assert_eq!(desk.json(&["conversation", "show", "last"]), shown);
    for args in [
        &["conversation", "export"][..],
        &["summary", "list"],
        &["summary", "run", "last"],
        &["ledger", "show", "last"],
        &["checkpoint", "create", "--conversation", "last"],
        &["memory", "--conversation", "last", "show"],
        &["search", "rules", "--conversation", "last"],
    ] {
        let said = desk.silt(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.err);
    }

    let preview = desk.silt(&["context", "preview", "--draft", "And now?"]);
    assert!(preview.err.contains(&id), "which one it is of is said: {}", preview.err);
    let reply = &shown["messages"][1];
    let sent = desk.json(&["context", "sent"]);
    assert_eq!(desk.json(&["context", "sent", reply["id"].as_str().unwrap()]), sent);
    assert_eq!(desk.json(&["context", "sent", reply["turn"].as_str().unwrap()]), sent);

    let edited = desk.silt(&["message", "edit", "last", "Which folders are there?"]);
    assert_eq!(edited.code, Some(0), "{}", edited.err);
    assert_eq!(path_of(&desk, &id)[0].1, "Which folders are there?");
    assert_eq!(desk.silt(&["message", "regenerate", "last"]).code, Some(0));

    desk.file("a.txt", "a\n");
    assert!(desk.silt(&["checkpoint", "diff", "last"]).out.contains("a.txt"));
    desk.json(&["checkpoint", "create", "--tag", "last"]);
    desk.file("b.txt", "b\n");
    desk.json(&["checkpoint", "create"]);
    let named = desk.json(&["checkpoint", "show", "last"]);
    assert_eq!(named["item"]["tag"], "last", "one that is called so is meant");

    desk.json(&["conversation", "delete", "last"]);
    assert_ne!(desk.json(&["conversation", "show"])["conversation"]["item"]["id"], *id);
}

#[test]
fn nothing_is_the_last_where_there_is_nothing() {
    let desk = Desk::trusted();
    for args in [&["conversation", "show"][..], &["context", "preview"], &["context", "sent"]] {
        for (lang, says) in [("en", "no conversation here"), ("ko", "이어 갈 대화가 없습니다")]
        {
            let said = desk.silt(&[&["--lang", lang], args].concat());
            assert_eq!(said.code, Some(2), "{args:?}");
            assert!(said.err.contains(says), "{args:?}: {}", said.err);
        }
    }
    desk.chat(&["Which port?"]);
    assert!(desk.silt(&["summary", "show"]).err.contains("no summary last"));
}

#[test]
fn a_number_alone_names_a_plan_a_task_and_a_decision() {
    let desk = Desk::trusted();
    desk.json(&["plan", "add", "Move the port"]);
    desk.json(&["task", "add", "Look it up"]);
    desk.json(&["task", "add", "Change it", "--plan", "1"]);
    assert_eq!(desk.json(&["task", "start", "2"])["current_task_id"], "task_002");
    desk.json(&["task", "finish", "2"]);
    assert_eq!(desk.json(&["plan", "finish", "1"])["plans"][0]["status"], "done");
    desk.json(&["decision", "add", "The port is 5434"]);
    assert_eq!(desk.json(&["decision", "remove", "1"]), json!({"decisions": []}));
    assert!(desk.silt(&["task", "start", "9"]).err.contains("task_009"));
}
