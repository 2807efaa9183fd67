//! Section 3 (`hydrate_prompt`), section 4 (2) and the checklist of section 6 of the design.

use proptest::prelude::*;

use super::*;
use crate::section::{Reason, Section, SectionKind};
use crate::tokens::{MESSAGE_OVERHEAD, estimate};

fn from<'a>(workflow: &'a Workflow, context: &'a ContextFile, language: &'a str) -> Hydrating<'a> {
    Hydrating { language, workflow, context, limit: TOKEN_LIMIT }
}

fn tokens(sections: &[Section]) -> u64 {
    sections.iter().map(|section| estimate(&section.text) + MESSAGE_OVERHEAD).sum()
}

/// Section 3: the list, word for word as the design writes it.
#[test]
fn section_3_hydrate_prompt_is_the_seeds_list() {
    let (work, file) = (workflow(), example());
    assert_eq!(
        hydrate_prompt(&from(&work, &file, "ko")),
        [
            "PROJECT: Flow Project",
            "ACTIVE PLAN: CLI 재설계",
            "ACTIVE TASK: Keep the API compatible",
            "DECISIONS: API 호환성 유지하기로 결정,  /flow 명령 패턴은 단수형 유지",
            "SUMMARY: …400자 이내 오토요약…",
            "RECENT DIALOG:",
            "USER: ...",
            "ASSISTANT: ...",
        ]
    );
}

/// Section 4 (2) and section 6: with the two files alone, a new conversation knows all that the checklist names.
#[test]
fn section_6_a_new_conversation_is_told_everything_on_the_checklist() {
    let Parsed::Known(work) = parse::<Workflow>(&to_bytes(&workflow()).unwrap()) else { panic!() };
    let sections = hydrate(&from(&work, &example(), "en"));
    let ids: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
    let pieces = ["project", "plan", "task", "decisions", "summary", "dialog"];
    assert_eq!(ids, pieces.map(|piece| format!("session:{piece}")));
    let texts: Vec<&str> = sections.iter().map(|section| section.text.as_str()).collect();
    assert_eq!(texts[1], "ACTIVE PLAN: CLI 재설계\n명령을 단수형으로 통일해요.");
    assert_eq!(
        texts[2],
        "ACTIVE TASK: Keep the API compatible\nSee app/workflow.py.\nDone when:\n- old clients still connect"
    );
    assert!(texts[3].contains("- API 호환성 유지하기로 결정\n"), "{}", texts[3]);
    assert_eq!(texts[4], "SUMMARY: …400자 이내 오토요약…");
    assert_eq!(texts[5], "RECENT DIALOG:\nUSER: ...\nASSISTANT: ...");
    assert!(sections.iter().all(|section| section.reason == Reason::Resumed));
    assert_eq!(sections[2].kind, SectionKind::Plan);
    assert_eq!(sections[5].kind, SectionKind::Summary);
}

#[test]
fn in_korean_the_labels_are_korean() {
    let (work, file) = (workflow(), example());
    let sections = hydrate(&from(&work, &file, "ko"));
    let labels: Vec<&str> =
        sections.iter().filter_map(|it| Some(it.text.split_once(':')?.0)).collect();
    assert_eq!(
        labels,
        ["프로젝트", "진행 중인 계획", "진행 중인 작업", "결정", "요약", "최근 대화"]
    );
    assert!(sections[2].text.contains("완료 조건:\n- "));
}

/// Every request of the project is told what is worked on, and nothing where nothing is.
#[test]
fn the_plan_goes_with_every_request() {
    let sections = plan_sections(&workflow(), "en");
    let ids: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
    assert_eq!(ids, ["session:plan", "session:task"]);
    assert!(sections.iter().all(|section| section.reason == Reason::Plan));
    assert_eq!(plan_sections(&Workflow::new("Flow"), "ko"), []);
}

/// What is not known has no line, and an id that leads nowhere leads to what the workflow says.
#[test]
fn what_is_not_known_is_not_told() {
    let empty = ContextFile::default();
    let work = Workflow::new("");
    assert_eq!(hydrate(&from(&work, &empty, "en")), []);
    assert_eq!(hydrate_prompt(&from(&work, &empty, "en")), ["RECENT DIALOG:"]);
    let mut file = example();
    file.memory.active_plan_id = Some("plan_777".into());
    let work = workflow();
    assert!(hydrate_prompt(&from(&work, &file, "en"))[1].starts_with("ACTIVE PLAN: CLI"));
}

/// Section 3, `TOKEN_LIMIT`: the oldest messages give way, the newest is told as far as there is room.
#[test]
fn section_3_the_newest_message_is_told_even_when_it_is_too_long() {
    let message = |content: String| WindowMessage {
        role: "user".into(),
        content,
        ..WindowMessage::default()
    };
    let mut file = example();
    let texts = ["oldest ", "middle ", "newest "].map(|word| message(word.repeat(9_000)));
    file.conversation.recent_window = texts.to_vec();
    let work = workflow();
    let sections = hydrate(&from(&work, &file, "en"));
    let dialog = &sections[5].text;
    assert!(
        dialog.contains("USER: newest") && dialog.contains('…') && !dialog.contains("oldest"),
        "{}",
        dialog.len()
    );
    assert!(tokens(&sections) <= TOKEN_LIMIT);
}

/// A reply that was stopped is told as far as it came, and as what it is.
#[test]
fn a_reply_that_was_interrupted_is_told_as_such() {
    let mut file = example();
    file.conversation.recent_window = vec![WindowMessage {
        role: "assistant".into(),
        content: "First we".into(),
        interrupted: true,
        ..WindowMessage::default()
    }];
    let work = workflow();
    let told = |language| hydrate(&from(&work, &file, language)).pop().unwrap().text;
    assert!(told("en").ends_with("First we [interrupted]"), "{}", told("en"));
    assert!(told("ko").ends_with("First we [중단됨]"), "{}", told("ko"));
    let bytes = to_bytes(&file).unwrap();
    assert_eq!(parse::<ContextFile>(&bytes), Parsed::Known(file.clone()));
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text.matches("\"interrupted\": true").count(), 1, "{text}");
}

/// However much is written about the work, every piece of it is told.
#[test]
fn long_texts_do_not_push_each_other_out() {
    let long = "길게 적은 글입니다 ".repeat(200);
    let mut work = workflow();
    work.project_name = long.clone();
    let plan = &mut work.plans[0];
    (plan.title, plan.description) = (long.clone(), long.clone());
    let task = &mut plan.tasks[3];
    (task.title, task.notes) = (long.clone(), long.clone());
    task.acceptance = vec![long.clone(); 40];
    let mut file = example();
    file.memory.last_decisions = vec![long; LAST_DECISIONS];
    let sections = hydrate(&from(&work, &file, "ko"));
    assert_eq!(sections.len(), 6);
    assert!(tokens(&sections) <= TOKEN_LIMIT);
}

proptest! {
    /// Nothing that was said or written forges a label (safety T13), and the limit holds.
    #[test]
    fn the_limit_holds_and_no_label_is_forged(
        said in proptest::collection::vec("(\nSUMMARY: |\n최근 대화: |[a가 .]){0,300}", 1..20),
        title in "(\nPROJECT: |[a-z가 ]){1,200}",
        limit in 60_u64..4_096,
    ) {
        let mut work = workflow();
        work.plans[0].title = title;
        let mut file = example();
        file.conversation.recent_window = said
            .into_iter()
            .map(|content| WindowMessage { role: "user".into(), content, ..WindowMessage::default() })
            .collect();
        for language in ["en", "ko"] {
            let sections = hydrate(&Hydrating { limit, ..from(&work, &file, language) });
            prop_assert!(tokens(&sections) <= limit, "{} > {limit}", tokens(&sections));
            for section in &sections {
                for line in section.text.lines().skip(1) {
                    for label in ["SUMMARY:", "PROJECT:", "최근 대화:"] {
                        prop_assert!(!line.trim_start().starts_with(label), "{line}");
                    }
                }
            }
        }
    }
}
