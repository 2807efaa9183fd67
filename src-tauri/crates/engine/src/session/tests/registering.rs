//! Section 3 A and section 4 (1) and (3) of the design: messages, the window, the running summary, a switch of plans.

use rstest::rstest;

use super::*;
use crate::message::Role;
use crate::provider::{OFFLINE_EN, OFFLINE_KO};
use crate::workflow::{DecisionOrigin, WorkflowChange};

fn register(file: &ContextFile, role: Role, content: &str) -> ContextFile {
    registered(file, role, content, "en")
}

fn registered(file: &ContextFile, role: Role, content: &str, language: &str) -> ContextFile {
    let with = Registering {
        language,
        window_keep: WINDOW_KEEP,
        count: &|text| text.split_whitespace().count() as u64,
        summarise: &extractive,
    };
    register_message(file, said(role, content), later(5), &with)
}

fn words(word: &str, many: usize) -> String {
    format!("{word} ").repeat(many).trim_end().to_owned()
}

/// Section 4 (1): user, reply, saved; nothing leaves a window that is not full.
#[test]
fn section_4_1_what_is_said_is_in_the_window() {
    let file = register(&example(), Role::User, " where did we stop? ");
    let file = register(&file, Role::Assistant, "At task four.");
    let window: Vec<(&str, &str)> = file.conversation.recent_window[2..]
        .iter()
        .map(|message| (message.role.as_str(), message.content.as_str()))
        .collect();
    assert_eq!(window, [("user", "where did we stop?"), ("assistant", "At task four.")]);
    assert_eq!(file.conversation.recent_window[3].ts, "2024-05-27T11:03:57Z");
    assert_eq!((file.stats.dialog_turns, file.stats.total_tokens), (35, 8_920 + 7));
    assert_eq!(file.conversation.running_summary, "…400자 이내 오토요약…");
    assert_eq!(
        (file.updated_at.as_str(), &file.created_at),
        ("2024-05-27T11:03:57Z", &example().created_at)
    );
    assert_eq!(register(&file, Role::User, " \n"), file);
}

/// Section 3: `_trim_window` by tokens, each message merged once.
#[test]
fn section_3_a_message_leaves_when_newer_ones_fill_the_window_and_is_summarised_once() {
    let seen = std::cell::RefCell::new(Vec::new());
    let with = Registering {
        language: "en",
        window_keep: WINDOW_KEEP,
        count: &|text| text.split_whitespace().count() as u64,
        summarise: &|leaving| {
            let first = |it: &WindowMessage| it.content.split(' ').next().unwrap().to_owned();
            let gone: Vec<String> = leaving.messages.iter().map(first).collect();
            seen.borrow_mut().extend(gone.clone());
            [&[leaving.previous.to_owned()][..], &gone].concat().join(" ").trim().to_owned()
        },
    };
    let mut file = ContextFile::new(now());
    let mut lengths = Vec::new();
    for (word, many) in [("a", 400), ("b", 400), ("c", 1), ("d", 399), ("e", 900), ("f", 10)] {
        file = register_message(&file, said(Role::User, &words(word, many)), later(1), &with);
        lengths.push(file.conversation.recent_window.len());
    }
    // 800 fit; 1 more pushes the first out; 800 again; 900 stays alone, as the newest; then it leaves.
    assert_eq!(lengths, [1, 2, 2, 3, 1, 1]);
    assert_eq!(*seen.borrow(), ["a", "b", "c", "d", "e"]);
    assert_eq!(file.conversation.running_summary, "a b c d e");
}

/// Section 5: 400 characters in Korean, 700 in English, whatever a summariser writes.
#[rstest]
#[case("ko", 400)]
#[case("en", 700)]
fn section_5_the_summary_keeps_its_limit(#[case] language: &str, #[case] limit: usize) {
    let mut file = ContextFile::new(now());
    for turn in 0..40 {
        let text = format!("{}. 포트는 {turn}00번으로 정했어요. ", words("가나다", 90));
        file = registered(&file, Role::Assistant, &text, language);
    }
    let chars = file.conversation.running_summary.chars().count();
    assert!((limit / 2..=limit).contains(&chars), "{chars}");
}

/// Section 3: what the assistant said weighs double in what is kept.
#[test]
fn section_3_a_reply_weighs_double() {
    let sentences =
        |who: &str| -> String { (10..60).map(|n| format!("{who} port {n}00. ")).collect() };
    let message = |role: &str, content: String| WindowMessage {
        role: role.into(),
        content,
        ..WindowMessage::default()
    };
    let messages = [message("user", sentences("Asked")), message("assistant", sentences("Found"))];
    let kept = extractive(&Leaving { previous: "", messages: &messages, limit: 700 });
    let count = |word| kept.matches(word).count();
    assert!(count("Found") > 30 && count("Asked") == 0, "{kept}");
    let one = [message("user", "x".repeat(2_000))];
    assert_eq!(extractive(&Leaving { previous: "", messages: &one, limit: 30 }).len(), 30);
}

/// Section 5: a secret is gone before anything is kept.
#[test]
fn section_5_a_secret_never_enters() {
    let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let mut file = register(&ContextFile::new(now()), Role::User, &format!("use {secret} here"));
    for _ in 0..3 {
        file = register(&file, Role::Assistant, &format!("I used {secret}. {}", words("w", 500)));
    }
    let text = serde_json::to_string(&file).unwrap();
    assert!(!text.contains(&secret) && text.contains("[redacted: github-token]"), "{text}");
}

/// One message of a megabyte does not make every later write one of a megabyte.
#[test]
fn a_huge_message_is_kept_by_its_beginning() {
    let file = register(&ContextFile::new(now()), Role::User, &"가".repeat(400_000));
    let content = &file.conversation.recent_window[0].content;
    assert!(content.chars().count() < 20_000 && content.ends_with('…'));
}

fn other_plan() -> Workflow {
    let add = WorkflowChange::AddPlan {
        title: "Docs".into(),
        description: "Write the handbook first.".into(),
    };
    let work = workflow().apply(&add, now()).unwrap();
    work.apply(&WorkflowChange::SwitchPlan { id: Some("plan_002".into()) }, now()).unwrap()
}

/// Section 4 (3): memory follows the plan; the summary stays, or is what the plan says of itself.
#[test]
fn section_4_3_a_switch_of_plans_is_followed() {
    let file = example();
    let kept = plan_switched(&file, &other_plan(), false, later(9));
    assert_eq!(kept.memory.active_plan_id.as_deref(), Some("plan_002"));
    assert_eq!(kept.memory.active_task_id, None);
    assert_eq!(kept.conversation, file.conversation);
    let reset = plan_switched(&file, &other_plan(), true, later(9));
    assert_eq!(reset.conversation.running_summary, "Write the handbook first.");
    assert_eq!(reset.conversation.recent_window, file.conversation.recent_window);
}

#[test]
fn the_last_decisions_the_files_and_the_place_are_remembered() {
    let decide = |n: usize| WorkflowChange::AddDecision {
        text: format!("decision {n}"),
        source: None,
        origin: DecisionOrigin::Person,
    };
    let work = (1..=7).fold(workflow(), |work, n| work.apply(&decide(n), now()).unwrap());
    let files = ["src/a.rs".to_owned()];
    let place = Workplace { workflow: &work, open_files: &files, working_directory: "/repo" };
    let file = remember(&ContextFile::new(now()), &place, later(2));
    assert_eq!(file.memory.last_decisions.len(), LAST_DECISIONS);
    assert_eq!(file.memory.last_decisions[4], "decision 7");
    assert_eq!(file.memory.active_task_id.as_deref(), Some("task_004"));
    assert_eq!(file.updated_at, later(2).to_string());
    // Nothing new is no reason to write.
    assert_eq!(remember(&file, &place, later(3)), file);
}

#[rstest]
#[case("en", OFFLINE_EN, "> The port is 5433.", "The port is 5433.")]
#[case("ko", OFFLINE_KO, "> 포트는 5433번입니다.", "포트는 5433번입니다.")]
fn of_an_offline_answer_the_summary_has_what_it_quotes(
    #[case] language: &str,
    #[case] opening: &str,
    #[case] quoted: &str,
    #[case] expected: &str,
) {
    let answer = format!("{opening}\n\n{quoted}\n\n[docs/a\\.md:3](silt:file/docs/a.md?line=3)");
    let file = registered(&ContextFile::new(now()), Role::Assistant, &answer, language);
    let file = registered(&file, Role::User, &words("word", 800), language);
    assert_eq!(file.conversation.running_summary, expected);
}
