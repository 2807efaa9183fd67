//! One question asked of several models, and skills: as a script meets them.

use serde_json::Value;

use crate::desk::{Desk, conversation_of, lines};

const SKILL: &str =
    "---\nname: release\ndescription: How releases are made here.\n---\n\nTag with a v.\n";

#[test]
fn a_question_is_asked_of_several_models_and_one_answer_is_gone_on_with() {
    let desk = Desk::trusted();
    let said =
        desk.silt(&["--json", "chat", "--also", "other", "--also", "offline/third", "Which port?"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let stream = lines(&said.out);
    let events = |name: &str| stream.iter().filter(|line| line["event"] == name).count();
    assert_eq!((events("started"), events("done")), (3, 3), "{}", said.out);
    let reply = stream.iter().find(|line| line["event"] == "done").unwrap()["message_id"].clone();
    let reply = reply.as_str().unwrap();
    let versions = desk.json(&["message", "versions", reply]);
    let versions = versions.as_array().unwrap();
    let model = |version: &Value| version["messages"][0]["model"].as_str().unwrap().to_owned();
    let names: Vec<String> = versions.iter().map(model).collect();
    assert_eq!(names[1..], ["other", "third"]);
    let told = desk.silt(&["message", "versions", reply]);
    assert!(
        told.out.contains("## offline/other") && told.out.contains("## offline/third"),
        "{}",
        told.out
    );

    let keep = versions[1]["messages"][0]["id"].as_str().unwrap();
    desk.json(&["message", "branch", keep]);
    let shown = desk.json(&["conversation", "show", &conversation_of(&stream)]);
    let active = |id: &str| {
        let all = shown["messages"].as_array().unwrap();
        all.iter().find(|message| message["id"] == id).unwrap()["active"] == true
    };
    assert!(active(keep) && !active(reply), "{shown}");
    let again = desk.silt(&["message", "regenerate", keep, "--model", "fourth"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(desk.json(&["message", "versions", reply]).as_array().unwrap().len(), 4);
    let many = ["chat", "--also", "a", "--also", "b", "--also", "c", "--also", "d", "And?"];
    assert_ne!(desk.silt(&many).code, Some(0));
}

#[test]
fn skills_are_listed_used_offered_and_taken_away() {
    let desk = Desk::trusted();
    desk.file(".claude/skills/release/SKILL.md", SKILL);
    desk.file(".agents/skills/broken/SKILL.md", "# none\n");
    let listed = desk.silt(&["skill", "list"]);
    assert!(listed.out.contains("release  .claude/skills/release  ~"), "{}", listed.out);
    assert!(listed.out.contains("How releases are made here."), "{}", listed.out);
    assert!(listed.out.contains("cannot be used: it does not say what it is"), "{}", listed.out);
    assert_eq!(desk.silt(&["skill", "show", "release"]).out.trim(), "Tag with a v.");
    assert_ne!(desk.silt(&["skill", "show", "broken"]).code, Some(0));
    assert_ne!(desk.silt(&["skill", "use", "nothing"]).code, Some(0));

    desk.silt(&["chat", "--skill", "release", "Hello."]);
    let preview = desk.json(&["context", "preview", "--draft", "Make it."]).to_string();
    assert!(preview.contains("skill/.claude/skills/release"), "{preview}");
    assert!(desk.json(&["skill", "list"])["skills"][1]["chosen"].is_object());
    desk.silt(&["skill", "drop", "release"]);
    assert!(!desk.json(&["context", "preview", "--draft", "Hi"]).to_string().contains("skill/"));
    assert_ne!(desk.silt(&["skill", "drop", "release"]).code, Some(0));
    assert_eq!(desk.json(&["skill", "use", ".claude/skills/release"])["name"], "release");

    assert_eq!(desk.json(&["skill", "offer", "release"])["offered"], true);
    assert!(desk.silt(&["skill", "list"]).out.contains("models are told"));
    assert_eq!(desk.json(&["skill", "withdraw", "release"])["offered"], false);
}
