//! Prices, the monthly limit and the sample project, as a script uses them.

use serde_json::{Value, json};

use crate::desk::{Desk, conversation_of, path_of, text_of};
use crate::server::SlowServer;

#[test]
fn prices_are_set_in_dollars_and_a_reached_limit_asks_until_the_call_says_go_on() {
    let (desk, server) = (Desk::new(), SlowServer::start());
    server.end_answers();
    desk.json(&["provider", "add", "--kind=openai", "--name=slow", "--base-url", &server.url]);
    let set = desk.json(&["price", "set", "sl*", "--input=0.075", "--output=1000"]);
    let mine = json!({"model": "sl*", "source": "person", "price":
        {"input": 75_000, "output": 1_000_000_000, "cached_input": null, "cache_write": null}});
    assert_eq!(set, json!({"prices": [mine]}));
    let listed = desk.json(&["price", "list"]);
    assert!(listed["prices"].as_array().unwrap().contains(&mine));
    assert!(listed.to_string().contains("built_in"));
    assert_eq!(desk.silt(&["price", "set", "x", "--input=-1", "--output=1"]).code, Some(2));
    assert_eq!(desk.silt(&["price", "remove", "unheard-of"]).code, Some(1));

    assert_eq!(desk.json(&["spending", "--limit=0.000001"])["limit"], 1);
    let asked = desk.chat(&["--provider=slow", "--model=slow-1", "Hello?"]);
    let id = conversation_of(&asked);
    let spent = desk.json(&["spending"]);
    assert!(spent["cost"].as_u64().unwrap() > 1_000, "{spent}");
    assert_eq!(spent["by_model"][0]["model"], "slow-1");

    let before = path_of(&desk, &id);
    let refused = desk.silt(&["--json", "chat", "--conversation", &id, "And now?"]);
    assert_eq!(refused.code, Some(1));
    let error: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!(error["error"]["code"], "limit_reached");
    assert_eq!(path_of(&desk, &id), before, "nothing was stored");
    desk.chat(&["--conversation", &id, "--over-limit", "And now?"]);
    assert_eq!(path_of(&desk, &id).len(), before.len() + 2);
    assert_eq!(desk.json(&["spending", "--no-limit"])["limit"], Value::Null);
}

#[test]
fn the_sample_is_opened_once_and_can_be_asked_about() {
    let desk = Desk::new();
    let opened = desk.json(&["--lang=ko", "sample", "open"]);
    assert_eq!(
        desk.json(&["--lang=ko", "sample", "open"])["conversation_id"],
        opened["conversation_id"]
    );
    let id = opened["conversation_id"].as_str().unwrap();
    assert!(
        path_of(&desk, id).iter().any(|(role, text)| role == "assistant" && text.contains("UTC"))
    );
    let reply = desk.chat(&["--conversation", id, "시계는 어디에서 맞추나요?"]);
    assert!(text_of(&reply).contains("rain.py"), "{}", text_of(&reply));
}
