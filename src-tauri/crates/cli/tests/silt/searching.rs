//! `silt search`: everything in one list, narrowed by kind, day, speaker and project.

use serde_json::{Value, json};

use super::desk::{Desk, conversation_of, said};

/// The kinds that were found, with how many of each.
fn kinds(found: &Value) -> Vec<(&str, u64)> {
    let groups = found["groups"].as_array().unwrap().iter();
    groups
        .map(|group| (group["kind"].as_str().unwrap(), group["total"].as_u64().unwrap()))
        .collect()
}

#[test]
fn a_message_is_found_with_its_place_and_narrowed_by_who_said_it_and_when() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&["토큰갱신은 refresh_token_v2 함수에서 합니다"]));
    let of = ["--conversation", &id, "--kind", "message"];
    for query in ["갱신", "토큰갱신", "refresh_token"] {
        let found = desk.json(&[&["search", query][..], &of].concat());
        let hit = &found["groups"][0]["found"][0];
        assert_eq!(
            (&hit["kind"], &hit["conversation_id"]),
            (&json!("message"), &json!(id)),
            "{found}"
        );
        let link = format!("silt:message/{}", hit["message_id"].as_str().unwrap());
        assert_eq!(hit["link"], link.as_str());
        assert!(
            hit["snippet"].as_array().unwrap().iter().any(|part| part["hit"] == true),
            "{found}"
        );
    }
    let narrowed = |options: &[&str]| {
        let found = desk.json(&[&["search", "토큰갱신"][..], &of, options].concat());
        found["groups"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|group| group["found"].as_array().unwrap().clone())
            .collect::<Vec<_>>()
    };
    let by_user = narrowed(&["--role", "user"]);
    assert!(!by_user.is_empty() && by_user.iter().all(|hit| hit["role"] == "user"), "{by_user:?}");
    assert_eq!(narrowed(&["--to", "2001-01-01"]), Vec::<Value>::new());
    assert_eq!(narrowed(&["--from", "2001-01-01", "--role", "user"]), by_user);
    assert_eq!(desk.json(&["search", "없는낱말"]), json!({ "groups": [] }));
    assert_eq!(desk.silt(&["search", "갱신", "--from", "yesterday"]).code, Some(2));
    assert_eq!(desk.silt(&["search"]).code, Some(2));

    // Made anew, the index answers as before.
    let before = desk.json(&["search", "토큰갱신"]);
    assert_eq!(desk.json(&["search", "--rebuild"]), json!({ "rebuilt": true }));
    assert_eq!(desk.json(&["search", "토큰갱신"]), before);
}

#[test]
fn kinds_stand_in_groups_in_either_language_and_stay_in_their_project() {
    let desk = Desk::trusted();
    desk.file("docs/limits.md", "# Limits\n\n재시도횟수는 다섯 번입니다.\n");
    desk.chat(&["재시도횟수제한을 정해 주세요"]);
    desk.json(&["decision", "add", "재시도횟수는", "다섯", "번"]);
    let found = desk.json(&["search", "횟수"]);
    let of: Vec<&str> = kinds(&found).into_iter().map(|(kind, _)| kind).collect();
    for kind in ["message", "decision", "file"] {
        assert!(of.contains(&kind), "{kind}: {found}");
    }
    let only = desk.json(&["search", "횟수", "--kind", "file,decision", "--limit", "1"]);
    assert_eq!(
        kinds(&only).iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
        ["decision", "file"]
    );
    let group = only["groups"].as_array().unwrap().iter().find(|it| it["kind"] == "file").unwrap();
    assert_eq!(group["found"].as_array().unwrap().len(), 1);

    // What changed a moment ago is known too.
    desk.file("docs/later.md", "나중에 쓴 글\n");
    let later = desk.json(&["search", "나중", "--kind", "file"]);
    assert_eq!(later["groups"][0]["found"][0]["title"], "docs/later.md", "{later}");

    let said = desk.silt(&["--lang", "ko", "search", "횟수"]);
    assert!(said.out.contains("메시지: ") && said.out.contains("docs/limits.md:3"), "{}", said.out);
    assert!(said.err.contains("개를 찾았습니다"), "{}", said.err);
}

#[test]
fn the_model_that_came_along_reads_what_was_said_until_nobody_is_wanted() {
    let desk = Desk::new();
    let models = tempfile::TempDir::new().unwrap();
    let folder = models.path().join("tiny");
    std::fs::create_dir(&folder).unwrap();
    let encoder = include_bytes!("../../../providers/src/local/samples/encoder.bin");
    std::fs::write(folder.join("model.bin"), encoder).unwrap();
    let silt = |args: &[&str]| {
        let mut command = desk.command(args);
        said(command.env("SILTSTONE_MODELS", models.path()).output().unwrap())
    };
    let state = |args: &[&str]| -> Value {
        let told = silt(&[&["--json", "recall", "embedder"], args].concat());
        assert_eq!(told.code, Some(0), "{}", told.err);
        serde_json::from_str(&told.out).unwrap()
    };
    assert_eq!(silt(&["chat", "The shuttle leaves at nine."]).code, Some(0));
    let by = json!({"by": "local", "name": "tiny"});
    let read = state(&["build"]);
    assert_eq!((&read["embedder"], &read["done"], &read["all"]), (&by, &json!(2), &json!(2)));
    let told = silt(&["recall", "embedder", "status"]).out;
    assert!(told.contains("tiny (1 MB, comes with Siltstone)"), "{told}");
    let none = state(&["off"]);
    assert_eq!((&none["embedder"], &none["bytes"]), (&Value::Null, &json!(0)));
    assert_eq!(state(&["status"])["embedder"], Value::Null);
    // Without it nothing is chosen either.
    let bare = desk.json(&["recall", "embedder", "status"]);
    assert_eq!((&bare["embedder"], &bare["local"]), (&Value::Null, &json!([])));
}
