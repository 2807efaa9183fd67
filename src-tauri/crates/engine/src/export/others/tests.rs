//! Small exports as the services write them, and what nobody would write.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::export::ImportWarning;
use crate::message::{MessageStatus, Part, Role};

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn second(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn read(value: &Value) -> Result<Imported, ImportError> {
    conversation(&value.to_string(), now())
}

/// Every message with its parent's place.
fn told(imported: &Imported) -> Vec<(Option<usize>, Role, String)> {
    let ids: Vec<_> = imported.messages.iter().map(|message| message.id).collect();
    let place = |id| ids.iter().position(|other| *other == id);
    let one = |message: &crate::message::Message| {
        let parts = message.parts.iter().map(|part| match part {
            Part::Text { text } => text.clone(),
            Part::Reasoning { text, .. } => format!("({text})"),
            Part::Pasted { text, lines, .. } => format!("<{lines}: {text}>"),
            Part::ToolCall { id, name, arguments, .. } => format!("{name}#{id}{arguments}"),
            Part::ToolResult { call_id, text, .. } => format!("#{call_id}: {text}"),
            other => panic!("{other:?}"),
        });
        let parts: Vec<String> = parts.collect();
        (message.parent_id.and_then(place), message.role, parts.join(" "))
    };
    imported.messages.iter().map(one).collect()
}

fn shown(imported: &Imported) -> usize {
    imported.messages.iter().position(|message| message.id == imported.active).unwrap()
}

fn row(parent: Option<usize>, role: Role, text: &str) -> (Option<usize>, Role, String) {
    (parent, role, text.to_owned())
}

/// A node of ChatGPT's tree. `more` joins its message, whose content is text unless it says otherwise.
fn node(id: &str, parent: Option<&str>, role: &str, text: &str, more: Value) -> (String, Value) {
    let mut message = json!({
        "id": id, "author": {"role": role, "name": null}, "create_time": 1_700_000_000.5,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully", "recipient": "all", "metadata": {},
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        message[key] = value.clone();
    }
    (id.to_owned(), json!({"id": id, "message": message, "parent": parent, "children": []}))
}

fn chatgpt(nodes: impl IntoIterator<Item = (String, Value)>, current: &str) -> Value {
    let mapping: serde_json::Map<String, Value> = nodes.into_iter().collect();
    json!({
        "title": "Rivers", "create_time": 1_690_000_000.123_456, "update_time": 1_700_000_100.0,
        "mapping": mapping, "current_node": current, "conversation_id": "c",
    })
}

fn empty_root(id: &str) -> (String, Value) {
    (id.to_owned(), json!({"id": id, "message": null, "parent": null, "children": []}))
}

#[test]
fn chatgpt_keeps_branches_and_the_shown_path_and_skips_what_was_hidden() {
    let hidden = json!({"metadata": {"is_visually_hidden_from_conversation": true}});
    let about = json!({"content": {"content_type": "user_editable_context", "user_profile": "x"}});
    let model = json!({"metadata": {"model_slug": "gpt-5"}});
    let mut question = node("q", Some("about"), "user", "How long is the Rhine?", json!({}));
    // The order of siblings is the parent's, whatever order the file has.
    question.1["children"] = json!(["a1", "a2"]);
    let read = read(&chatgpt(
        [
            empty_root("root"),
            node("rules", Some("root"), "system", "", hidden),
            node("about", Some("rules"), "user", "", about),
            node("a2", Some("q"), "assistant", "1233 km", model.clone()),
            question,
            node("a1", Some("q"), "assistant", "1230 km", model),
            node("thanks", Some("a1"), "user", "고마워", json!({})),
        ],
        "a2",
    ))
    .unwrap();
    assert_eq!(
        told(&read),
        [
            row(None, Role::User, "How long is the Rhine?"),
            row(Some(0), Role::Assistant, "1230 km"),
            row(Some(1), Role::User, "고마워"),
            row(Some(0), Role::Assistant, "1233 km"),
        ]
    );
    assert_eq!(shown(&read), 3);
    assert_eq!(read.title, "Rivers");
    let made = Timestamp::from_millisecond(1_690_000_000_123).unwrap();
    assert_eq!(read.times, Some((made, second(1_700_000_100))));
    assert_eq!(read.messages[1].model.as_deref(), Some("gpt-5"));
    assert_eq!(read.messages[0].model, None);
    assert_eq!(
        read.messages[0].created_at,
        Timestamp::from_millisecond(1_700_000_000_500).unwrap()
    );
}

#[test]
fn chatgpt_thoughts_code_tools_and_pictures() {
    let content = |content: Value| json!({ "content": content });
    let thoughts = json!({"content_type": "thoughts", "thoughts": [
        {"summary": "Sum", "content": "I add."}, {"summary": "", "content": ""},
    ]});
    let code = json!({"content_type": "code", "language": "python", "text": "print('```')"});
    let mut call = content(code.clone());
    call["recipient"] = "python".into();
    let output = json!({
        "author": {"role": "tool", "name": "python"},
        "content": {"content_type": "execution_output", "text": "```"},
    });
    let quote = json!({
        "author": {"role": "tool", "name": "browser"},
        "content": {"content_type": "tether_quote", "title": "Rhine", "url": "https://r.example", "text": "long"},
    });
    let picture = json!({
        "content": {"content_type": "multimodal_text", "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-A"},
            {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_B"},
            "what is this?",
        ]},
        "metadata": {"attachments": [
            {"id": "file-A", "name": "map.png"}, {"id": "file-C", "name": "map.png"},
        ]},
    });
    let read = read(&chatgpt(
        [
            node("u", None, "user", "", picture),
            node("t", Some("u"), "assistant", "", content(thoughts)),
            node("c", Some("t"), "assistant", "", call),
            node("o", Some("c"), "tool", "", output),
            node("b", Some("o"), "tool", "", quote),
            node("s", Some("b"), "assistant", "", content(code)),
            node("end", Some("s"), "assistant", "cut", json!({"status": "in_progress"})),
        ],
        "gone",
    ))
    .unwrap();
    let told = told(&read);
    assert_eq!(told[0].2, "[map.png]\n\n[file_B]\n\nwhat is this?\n\n[map.png]");
    assert_eq!(told[1], row(Some(0), Role::Assistant, "(Sum\n\nI add.)"));
    assert_eq!(told[2], row(Some(1), Role::Assistant, "python#c{\"input\":\"print('```')\"}"));
    assert_eq!(told[3], row(Some(2), Role::Tool, "#c: ```"));
    assert_eq!(told[4], row(Some(3), Role::Assistant, "browser#b{}"));
    assert_eq!(told[5], row(Some(4), Role::Tool, "#b: Rhine\n\nhttps://r.example\n\nlong"));
    assert_eq!(told[6], row(Some(5), Role::Assistant, "````python\nprint('```')\n````"));
    assert_eq!(shown(&read), 7, "without a node that is there, the last one");
    assert_eq!(read.messages[7].status, MessageStatus::Interrupted);
    // One turn from the first thought on, and none for the question.
    assert_eq!(read.messages[0].turn_id, None);
    let turns: Vec<_> = read.messages[1..].iter().map(|message| message.turn_id).collect();
    assert!(turns[0].is_some() && turns.iter().all(|turn| *turn == turns[0]));
    // Three are missing, two of one name.
    let names = ["file_B", "map.png"].map(str::to_owned);
    assert_eq!(read.warnings, names.map(|name| ImportWarning::AttachmentLeftOut { name }));
    assert_eq!(read.left_out, 3);
}

fn claude(messages: Value) -> Value {
    json!({
        "uuid": "c", "name": "", "created_at": "2025-03-01T10:00:00.123456Z",
        "updated_at": "2025-03-02T10:00:00+00:00", "account": {"uuid": "a"}, "chat_messages": messages,
    })
}

#[test]
fn claude_keeps_thoughts_tools_and_the_text_of_files() {
    let read = read(&claude(json!([
        {
            "uuid": "m1", "sender": "human", "text": "Read this", "created_at": "2025-03-01T10:00:01Z",
            "content": [{"type": "text", "text": "Read this"}],
            "attachments": [{"file_name": "a.txt", "extracted_content": "one\ntwo"}],
            "files": [{"file_name": "a.txt"}, {"file_name": "photo.jpg"}],
        },
        {
            "uuid": "m2", "sender": "assistant", "text": "Let me look. Found.", "created_at": "odd",
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "name": "web_search", "input": {"q": "x"}},
                {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "hit"}]},
                {"type": "token_budget"},
                {"type": "text", "text": "Found."},
            ],
            "attachments": [], "files": [],
        },
        {"uuid": "m3", "sender": "human", "text": "of old", "content": []},
    ])))
    .unwrap();
    assert_eq!(
        told(&read),
        [
            row(None, Role::User, "Read this <3: [a.txt]\none\ntwo> \n\n[photo.jpg]"),
            row(Some(0), Role::Assistant, "(Hm.) Let me look. web_search#m2-1{\"q\":\"x\"}"),
            row(Some(1), Role::Tool, "#m2-1: hit"),
            row(Some(2), Role::Assistant, "Found."),
            row(Some(3), Role::User, "of old"),
        ]
    );
    assert_eq!(shown(&read), 4);
    assert_eq!(read.left_out, 1);
    assert_eq!(read.title, "Read this", "without a title, the first question");
    assert_eq!(read.messages[1].turn_id, read.messages[3].turn_id);
    assert_eq!(read.messages[1].created_at, read.messages[0].created_at, "a time that is none");
}

#[test]
fn claude_keeps_branches() {
    let said = |id: &str, parent: &str, sender: &str| json!({"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": id});
    let root = "00000000-0000-4000-8000-000000000000";
    let mut all = claude(json!([
        said("q", root, "human"),
        said("a", "q", "assistant"),
        said("b", "q", "assistant"),
        said("on", "a", "human"),
    ]));
    let found = read(&all).unwrap();
    let parents: Vec<_> =
        told(&found).into_iter().map(|(parent, _, text)| (parent, text)).collect();
    let expected = [(None, "q"), (Some(0), "a"), (Some(1), "on"), (Some(0), "b")];
    assert_eq!(parents, expected.map(|(parent, text)| (parent, text.to_owned())));
    assert_eq!(shown(&found), 2, "the last one that was said");
    all["current_leaf_message_uuid"] = "b".into();
    assert_eq!(shown(&read(&all).unwrap()), 3);
}

#[test]
fn times_that_are_none_are_those_of_the_messages() {
    let mut talk = chatgpt([node("u", None, "user", "hi", json!({}))], "u");
    (talk["create_time"], talk["update_time"]) = (1e300.into(), json!(null));
    talk["title"] = json!(null);
    let read = read(&talk).unwrap();
    let said = Timestamp::from_millisecond(1_700_000_000_500).unwrap();
    assert_eq!((read.times, read.title.as_str()), (Some((said, said)), "hi"));
    assert_eq!(time(&json!(-1e300)), None);
    assert_eq!(time(&json!(true)), None);
    assert_eq!(time(&json!(1.0005)), Timestamp::from_millisecond(1001).ok());
}

#[rstest]
#[case::orphan(chatgpt([node("a", Some("gone"), "user", "x", json!({}))], "a"), ORPHAN)]
#[case::circle(
    chatgpt(
        [
            node("r", None, "user", "x", json!({})),
            node("a", Some("b"), "user", "x", json!({})),
            node("b", Some("a"), "user", "x", json!({})),
        ],
        "a",
    ),
    CIRCLE
)]
#[case::own_parent(chatgpt([node("a", Some("a"), "user", "x", json!({}))], "a"), CIRCLE)]
#[case::stranger(chatgpt([node("a", None, "critic", "x", json!({}))], "a"), STRANGER)]
#[case::claude_orphan(
    claude(json!([{"uuid": "a", "parent_message_uuid": "b", "sender": "human", "text": "x"}])),
    ORPHAN
)]
#[case::claude_circle(
    claude(json!([{"uuid": "a", "parent_message_uuid": "a", "sender": "human", "text": "x"}])),
    CIRCLE
)]
fn a_broken_tree_is_refused(#[case] talk: Value, #[case] detail: &str) {
    match read(&talk).unwrap_err() {
        ImportError::Tree { detail: found, .. } => assert_eq!(found, detail),
        other => panic!("{other}"),
    }
}

#[test]
fn a_tree_as_deep_as_it_likes_costs_no_stack() {
    let deep = 50_000;
    let nodes = (0..deep).map(|at| {
        let parent = (at > 0).then(|| format!("n{}", at - 1));
        node(&format!("n{at}"), parent.as_deref(), "user", "x", json!({}))
    });
    let read = read(&chatgpt(nodes, "n10")).unwrap();
    assert_eq!((read.messages.len(), shown(&read)), (deep, 10));
    assert_eq!(read.messages.last().unwrap().index, deep as u64 - 1);
}

#[test]
fn what_says_nothing_is_empty() {
    for talk in [chatgpt([empty_root("r")], "r"), claude(json!([]))] {
        assert_eq!(read(&talk).unwrap_err(), ImportError::Empty);
    }
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// What `each` gives of a file within limits.
fn all_of(bytes: &[u8], limits: (usize, u64)) -> Result<Vec<String>, ImportError> {
    let mut found = Vec::new();
    let Ok(mut others) = Others::within(Cursor::new(bytes), limits)? else {
        panic!("not recognised")
    };
    others.each(&mut |text| {
        found.push(text.to_owned());
        true
    })?;
    Ok(found)
}

const WIDE: (usize, u64) = (1 << 20, 1 << 20);

#[test]
fn conversations_are_found_in_every_piece_of_a_zip_and_in_nothing_else() {
    let bytes = zipped(&[
        ("conversations-001.json", b"[3]"),
        ("export/conversations-000.json", b"\xEF\xBB\xBF [1, 2]"),
        ("shared_conversations.json", b"[7]"),
        ("conversations.json.bak", b"[8]"),
        ("conversations-x.json", b"[9]"),
        ("conversations.json/users.json", b"[0]"),
    ]);
    assert_eq!(all_of(&bytes, WIDE).unwrap(), ["3", "1", "2"]);
    assert_eq!(all_of(b"\xEF\xBB\xBF\n[{\"a\": [1]}, 2]\n", WIDE).unwrap(), ["{\"a\": [1]}", "2"]);
    let none = zipped(&[("users.json", b"[]")]);
    assert_eq!(all_of(&none, WIDE).unwrap_err(), ImportError::Unrecognised);
    // One conversation, and text: somebody else's.
    for other in ["{\"mapping\": {}}", "<!-- siltstone", ""] {
        let mut back = Others::open(Cursor::new(other)).unwrap().err().unwrap();
        let mut text = String::new();
        back.read_to_string(&mut text).unwrap();
        assert_eq!(text, other);
    }
}

#[test]
fn it_stops_when_it_is_told() {
    let bytes = zipped(&[("conversations-0.json", b"[1,2,3]"), ("conversations-1.json", b"[4]")]);
    let mut others = Others::open(Cursor::new(bytes)).unwrap().ok().unwrap();
    for _ in 0..2 {
        let mut heard = 0;
        others
            .each(&mut |_| {
                heard += 1;
                heard < 2
            })
            .unwrap();
        assert_eq!(heard, 2, "and begins anew");
    }
}

#[test]
fn nothing_inflates_beyond_the_limits() {
    let large = format!("[\"{}\", \"{}\"]", "a".repeat(50_000), "b".repeat(50_000));
    let bytes = zipped(&[("conversations.json", large.as_bytes())]);
    assert!(bytes.len() < 2_000);
    let refused = |limits| all_of(&bytes, limits).unwrap_err() == ImportError::TooMuch;
    assert!(refused((40_000, 1 << 20)), "one is too large");
    assert!(refused((1 << 20, 90_000)), "all are too large");
    assert_eq!(all_of(&bytes, (70_000, 1 << 20)).unwrap().len(), 2, "each is within");
    assert!(!large.is_empty() && all_of(large.as_bytes(), (40_000, 1 << 20)).is_err());
}

#[rstest]
#[case(b"[1, 2".to_vec())]
#[case(b"[1] x".to_vec())]
#[case(b"PK\x03\x04 and no more".to_vec())]
#[case({
    let mut bytes = zipped(&[("conversations.json", b"[\"abc\"]")]);
    // A letter of the text, behind the header and the name.
    bytes[30 + "conversations.json".len() + 3] ^= 1;
    bytes
})]
fn what_is_cut_off_or_damaged_is_said(#[case] bytes: Vec<u8>) {
    assert!(matches!(all_of(&bytes, WIDE), Err(ImportError::Broken { .. })), "{bytes:?}");
}

#[test]
fn a_broken_one_in_the_middle_costs_no_other() {
    let good = chatgpt([node("a", None, "user", "x", json!({}))], "a").to_string();
    let deep = format!("{{\"mapping\":{}1{}}}", "[".repeat(500), "]".repeat(500));
    let list = format!(
        "[{good},{{\"mapping\":7}},{deep},{{\"mapping\":{{}},\"create_time\":1e999}},{good}]"
    );
    let found = all_of(list.as_bytes(), WIDE).unwrap();
    let read: Vec<bool> = found.iter().map(|text| conversation(text, now()).is_ok()).collect();
    assert_eq!(read, [true, false, false, false, true]);
    assert!(is_known(&good) && !is_known("{\"messages\":[]}") && !is_known("7"));
}

/// Nodes with any parents, roles and contents.
fn any_tree() -> impl Strategy<Value = Value> {
    let roles = prop::sample::select(vec!["user", "assistant", "tool", "system"]);
    let kinds = prop::sample::select(vec!["text", "code", "thoughts", "multimodal_text", "odd"]);
    let one = (prop::option::of(0_usize..12), roles, kinds, "[a`\n]{0,4}", any::<f64>());
    prop::collection::vec(one, 0..12).prop_map(|all| {
        let nodes = all.iter().enumerate().map(|(at, (parent, role, kind, text, time))| {
            let parent = parent.map(|parent| format!("n{parent}"));
            let content = json!({
                "content_type": kind, "text": text, "parts": [text, {"asset_pointer": text}, 7],
                "thoughts": [{"content": text}],
            });
            let more = json!({"content": content, "create_time": time, "recipient": text});
            node(&format!("n{at}"), parent.as_deref(), role, text, more)
        });
        chatgpt(nodes, "n3")
    })
}

proptest! {
    /// Whatever the tree: it is refused, or every message has its parent before it and a place of its own.
    #[test]
    fn any_tree_is_refused_or_whole(tree in any_tree()) {
        if let Ok(read) = read(&tree) {
            for (at, (parent, ..)) in told(&read).into_iter().enumerate() {
                prop_assert!(parent.is_none_or(|parent| parent < at));
                let above = parent.map(|parent| read.messages[parent].index + 1);
                prop_assert_eq!(read.messages[at].index, above.unwrap_or(0));
            }
            prop_assert!(read.messages.iter().any(|message| message.id == read.active));
        }
    }

    /// Whatever the bytes, of a zip or of none: an answer.
    #[test]
    fn any_bytes_are_answered(at in 0_usize..200, byte in any::<u8>(), cut in 0_usize..200) {
        let mut bytes = zipped(&[("conversations.json", b"[{\"mapping\":{}}]")]);
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - cut % length);
        if let Ok(Ok(mut others)) = Others::open(Cursor::new(bytes)) {
            let _ = others.each(&mut |text| conversation(text, now()).is_ok() || !is_known(text));
        }
    }
}
