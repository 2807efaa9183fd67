//! Single messages: said differently, answered again, and the branches that come of it.

use serde_json::Value;

use crate::desk::{Desk, conversation_of, path_of};

/// The ids of the shown path.
fn shown(desk: &Desk, id: &str) -> Vec<String> {
    let all = desk.json(&["conversation", "show", id])["messages"].clone();
    let active = all.as_array().unwrap().iter().filter(|message| message["active"] == true);
    active.map(|message| message["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_message_is_said_differently_answered_again_and_found_on_its_branch() {
    let desk = Desk::trusted();
    let id = conversation_of(&desk.chat(&["Which port?"]));
    let first = shown(&desk, &id);

    let edited = desk.silt(&["--json", "message", "edit", &first[0], "미리보기", "서버의 포트는?"]);
    assert_eq!(edited.code, Some(0), "{}", edited.err);
    assert_eq!(path_of(&desk, &id)[0].1, "미리보기 서버의 포트는?");
    let second = shown(&desk, &id);
    let again = desk.silt(&["--json", "message", "regenerate", &second[1]]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    let last: Value = serde_json::from_str(again.out.lines().last().unwrap()).unwrap();
    let third = shown(&desk, &id);
    assert_eq!((&third[0], third[1].as_str()), (&second[0], last["message_id"].as_str().unwrap()));
    assert_ne!(third[1], second[1]);

    // Everything that was said is there, and is gone back to.
    let all = desk.silt(&["conversation", "show", &id, "--branches"]).out;
    for message in first.iter().chain(&second).chain(&third) {
        assert!(all.contains(message.as_str()), "{message}: {all}");
    }
    assert_eq!(all.matches("on another branch").count(), 3, "{all}");
    let moved = desk.json(&["message", "branch", &first[1]]);
    assert_eq!(moved["conversation_id"], id.as_str());
    assert_eq!(shown(&desk, &id), first);

    let refusals: &[(&[&str], &str)] = &[
        (&["message", "edit", &first[1], "x"], "only your own messages can be edited"),
        (&["message", "regenerate", &second[0]], "only replies can be regenerated"),
        (&["message", "branch", "nothing"], "no message nothing"),
    ];
    for (args, says) in refusals {
        let refused = desk.silt(args);
        assert_eq!(refused.code, Some(1), "{args:?}");
        assert!(refused.err.contains(says), "{}", refused.err);
        assert!(refused.err.contains("conversation show"), "{}", refused.err);
        assert_eq!(shown(&desk, &id), first, "what is refused changes nothing");
    }
}
