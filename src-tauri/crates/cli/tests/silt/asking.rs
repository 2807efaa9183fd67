//! What goes with a question: pictures and files, and how the model is asked.

use serde_json::{Value, json};
use siltstone_engine::attachment::to_base64;

use crate::desk::{Desk, conversation_of, path_of};
use crate::server::SlowServer;

const PICTURE: &[u8] = b"GIF89a\x2c\x01\xfa\0\0\0\0";

fn body(server: &SlowServer, turn: usize) -> Value {
    serde_json::from_str(&server.asked.lock().unwrap()[turn]).unwrap()
}

#[test]
fn pictures_and_wishes_reach_the_server_and_stay_with_the_conversation() {
    let (desk, server) = (Desk::new(), SlowServer::start());
    server.end_answers();
    let add = ["provider", "add", "--kind", "openai", "--name", "slow", "--base-url", &server.url];
    desk.json(&add);
    std::fs::write(desk.project.path().join("그림.gif"), PICTURE).unwrap();
    let asked = desk.chat(&[
        "--provider=slow",
        "--attach=그림.gif",
        "--instructions=Answer in verse.",
        "--temperature=0.5",
        "--max-output=77",
        "--effort=low",
    ]);
    let id = conversation_of(&asked);
    let first = body(&server, 0);
    assert!(first.to_string().contains(&to_base64(PICTURE)), "{first}");
    assert!(first.to_string().contains("Answer in verse."), "{first}");
    assert_eq!(first["temperature"], json!(0.5));

    desk.chat(&["--conversation", &id, "--instructions=", "And now?"]);
    let second = body(&server, 1).to_string();
    assert!(second.contains(&to_base64(PICTURE)), "the history has it too: {second}");
    assert!(!second.contains("Answer in verse.") && second.contains("0.5"), "{second}");
    assert_eq!(path_of(&desk, &id)[0], ("user".to_owned(), "[그림.gif]".to_owned()));
}

#[test]
fn what_cannot_go_with_a_question_is_refused_before_it_is_asked() {
    let desk = Desk::trusted();
    desk.file("notes.gif", "no picture");
    for (args, code) in [
        (["--attach=notes.gif", "look"], "attachment_unsupported"),
        (["--attach=nowhere.gif", "look"], "io"),
        (["--temperature=3", "hi"], "bad_request"),
    ] {
        let refused = desk.silt(&[&["--json", "chat"], &args[..]].concat());
        assert_eq!(refused.code, Some(1), "{args:?}");
        let error: Value = serde_json::from_str(&refused.out).unwrap();
        assert_eq!(error["error"]["code"], code, "{}", refused.err);
        let file = args[0].trim_start_matches("--attach=");
        assert_eq!(refused.err.contains(file), file != args[0], "{}", refused.err);
    }
    assert_eq!(desk.json(&["conversation", "list"]), json!({"conversations": []}));
}

#[test]
fn a_project_that_stays_on_this_computer_asks_no_other() {
    let desk = Desk::trusted();
    let opened = desk.json(&["project", "open", ".", "--this-computer-only"]);
    assert_eq!(opened["project"]["this_computer_only"], true);
    let url = "https://models.example/v1";
    desk.json(&["provider", "add", "--kind", "openai", "--name", "far", "--base-url", url]);
    let ask = ["--json", "chat", "--provider", "far", "--model", "m", "hi"];
    let refused = desk.silt(&ask);
    assert!(refused.out.contains("provider_not_local"), "{}", refused.out);
    assert_eq!(desk.json(&["project", "open", "."])["project"]["this_computer_only"], true);
    let opened = desk.json(&["project", "open", ".", "--any-computer"]);
    assert_eq!(opened["project"]["this_computer_only"], false);
}
