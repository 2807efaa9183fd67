//! Conversations in which tools were used.

use super::*;
use crate::message::{Seal, SealForm};
use crate::tool::output::{KeptOutput, shortened};

#[test]
fn json_carries_calls_with_their_seals_and_long_results_whole() {
    let whole = "줄 하나\n".repeat(5_000);
    let long = KeptOutput::of(&whole);
    let call = |id: &str, seal| Part::ToolCall {
        id: id.into(),
        name: "run_command".into(),
        arguments: "{\"command\":\"make\"}".into(),
        seal,
    };
    let seal = Seal { model: "m".into(), form: SealForm::Signature, data: "unread==".into() };
    let result = |id: &str, text: String, kept| Part::ToolResult {
        call_id: id.into(),
        text,
        is_error: false,
        kept,
    };
    let mut path = chain(&["만들어 봐", "할게요."]);
    path[1].parts.extend([call("a", Some(seal)), call("b", None)]);
    for part in [
        result("a", shortened(&whole, &long), Some(long.clone())),
        result("b", "짧다".into(), None),
    ] {
        let mut next = message(path.last(), Role::Tool, "", 5);
        next.parts = vec![part];
        path.push(next);
    }
    path.push(message(path.last(), Role::Assistant, "됐어요.", 6));
    let attached = BTreeMap::from([(long.hash.clone(), whole.as_bytes().into())]);
    let text = json(&conversation("t"), &path, &[], &[], &attached, false);
    let read = import(&text, "", at(9)).unwrap();
    assert_eq!(kept(&read.messages), kept(&path));
    assert_eq!(read.outputs, BTreeMap::from([(long.hash.clone(), whole.clone())]));
    assert_eq!(read.warnings, []);

    // Without the bytes, or with others, there is no handle that leads nowhere.
    let encoded = crate::attachment::to_base64(whole.as_bytes());
    let other = crate::attachment::to_base64(b"other words");
    for text in [
        json(&conversation("t"), &path, &[], &[], &BTreeMap::new(), false),
        text.replace(&encoded, &other),
        text.replace(&encoded, "not base64!"),
    ] {
        let read = import(&text, "", at(9)).unwrap();
        assert_eq!((read.outputs.len(), read.warnings), (0, vec![ImportWarning::OutputLeftOut]));
        let Part::ToolResult { text, kept: None, .. } = &read.messages[2].parts[0] else {
            panic!("{:?}", read.messages[2])
        };
        assert_eq!(*text, shortened(&whole, &long), "beginning and end are there");
    }

    // A transcript has the calls and what the model was told of their results, without seal and handle.
    let read = import(&jsonl(&path), "", at(9)).unwrap();
    let mut plain = path;
    plain[1].parts[1] = call("a", None);
    plain[2].parts = vec![result("a", shortened(&whole, &long), None)];
    assert_eq!(kept(&read.messages), kept(&plain));
    assert!(markdown("t", &plain).contains("줄 하나"));
}
