//! Memory in the request: rules are there whatever the room, and what is not there is named.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::earlier::Earlier;
use crate::memory::must::is_marked;
use crate::message::Part;
use crate::prompt::{Ask, Ingredients, frame};
use crate::provider::ModelInfo;
use crate::section::{LeftOutWhy, Reason, Request, Section, memory_of};
use crate::tokens::{Calibration, Scale};
use crate::wish::{Wish, Wishes};
use MemoryLayer::{Directory, Global, Project};

fn composed(injected: &Injected, window: u64, wishes: &Wishes) -> (Request, u64) {
    let ask = Ask::Draft { id: None, parts: vec![Part::Text { text: "What now?".into() }] };
    let model = ModelInfo { context_window: Some(window), ..ModelInfo::named("m") };
    let ingredients = Ingredients {
        language: "ko",
        instructions: "",
        tools: &[],
        steps: &[],
        memory: &injected.texts,
        persistent: Some("kept: yes"),
        session: &[],
        volatile: Some("now: here"),
        already_left_out: &injected.left_out,
        mentions: &[],
        passages: &[],
        wishes,
        pinned: &[],
        ask: &ask,
        model: &model,
        scale: Scale::estimating(Calibration::default()),
    };
    let frame = frame(&ingredients);
    let fixed = frame.blocks().iter().map(|block| block.tokens).sum();
    (frame.with(&Earlier::default(), &HashSet::new()), fixed)
}

fn memory(request: &Request) -> Vec<(&str, &Section)> {
    let sections = request.sections.iter();
    sections.filter_map(|section| Some((memory_of(&section.id)?, section))).collect()
}

#[test]
fn a_file_that_does_not_fit_sends_its_rules_and_is_named() {
    let long = format!("# T\n{}\n- NEVER guess\n- MUST ask\n", "A word. ".repeat(2_000));
    let files = [
        alone(Global, "/home/kim/.gemini/GEMINI.md", "be brief"),
        alone(Project, "AGENTS.md", &long),
        alone(Project, "GEMINI.md", "MUST stay"),
    ];
    let injected = inject(&files, &[], &[line("하지 마", false)], &TaskAtHand::default());
    let (request, _) = composed(&injected, 2_000, &Wishes::default());
    let sent: Vec<(&str, &str)> = memory(&request)
        .into_iter()
        .map(|(_, it)| (it.source.as_str(), it.text.as_str()))
        .collect();
    assert_eq!(
        sent,
        [
            // The folder of the person is not told.
            ("GEMINI.md (global)", "be brief"),
            ("AGENTS.md", "# T\n- NEVER guess\n- MUST ask"),
            ("GEMINI.md", "MUST stay"),
            ("runtime memory", "하지 마"),
        ]
    );
    let why = |section: &Section| match &section.reason {
        Reason::Memory { why, .. } => why.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(why(memory(&request)[1].1), InjectedWhy::Must);
    let out = request.left_out.iter().map(|it| (it.id.as_deref(), it.why));
    assert_eq!(Vec::from_iter(out), [(Some("memory:AGENTS.md"), LeftOutWhy::NoRoom)]);

    let (request, _) = composed(&injected, 20_000, &Wishes::default());
    assert_eq!((memory(&request).len(), memory(&request)[1].1.text.as_str()), (4, long.as_str()));
    assert_eq!(request.left_out, []);
}

#[test]
fn a_wish_leaves_out_a_file_and_never_its_rules() {
    let files = [alone(Project, "AGENTS.md", "be brief\n\nMUST stay")];
    let injected = inject(&files, &[], &[], &TaskAtHand::default());
    let mut wishes = Wishes::default();
    let out = Some(Wish::LeftOut);
    assert!(wishes.set("memory:AGENTS.md#rules".into(), "AGENTS.md".into(), out).is_err());
    wishes.set("memory:AGENTS.md".into(), "AGENTS.md".into(), out).unwrap();
    let (request, _) = composed(&injected, 20_000, &wishes);
    let texts: Vec<&str> = memory(&request).into_iter().map(|(_, it)| it.text.as_str()).collect();
    assert_eq!(texts, ["MUST stay"]);
    assert_eq!(request.left_out[0].why, LeftOutWhy::ByYou);
}

#[test]
fn what_was_stored_before_there_were_layers_is_still_read() {
    let reason: Reason = serde_json::from_str(r#"{"code":"project_rule"}"#).unwrap();
    assert_eq!(reason, Reason::Memory { layer: Project, why: InjectedWhy::Always });
    let stored = serde_json::to_string(&reason).unwrap();
    assert_eq!(serde_json::from_str::<Reason>(&stored).unwrap(), reason);
}

/// A file of a few sections in which some lines are rules.
fn text() -> impl Strategy<Value = String> {
    let words = "[a-z가-힣]{1,8}( [a-z가-힣]{1,8}){0,30}";
    let one = (0usize..12, words).prop_map(|(kind, words)| match kind {
        0 => format!("\n# {words}"),
        1 => format!("\n## {words}"),
        2 => format!("- You MUST {words}"),
        3 => format!("1. NEVER {words}\n   {words}"),
        4 => format!("{words} 반드시 {words}"),
        5 => format!("  * 절대 {words}"),
        6 => format!("- {words} 하지 마:\n  - {words}"),
        7 => String::new(),
        8 | 9 => format!("- {words}"),
        _ => words,
    });
    prop::collection::vec(one, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// However small the window, and whatever a file waits for.
    #[test]
    fn every_rule_is_in_every_request_word_for_word(
        texts in prop::collection::vec((0usize..4, text()), 1..5),
        added in text(),
        window in 0u64..6_000,
        left_out in any::<bool>(),
    ) {
        let fronts = ["", "---\ninject: dynamic\n---\n", "---\ninject: lazy\n---\n", "---\nwhen: zzz\n---\n"];
        let places = [(Global, "/g.md"), (Project, "AGENTS.md"), (Project, "b.md"), (Directory, "src/AGENTS.md")];
        let files: Vec<Expanded> = texts.iter().zip(places)
            .map(|((front, text), (layer, path))| alone(layer, path, &format!("{}{text}", fronts[*front])))
            .collect();
        let lines = [line(&added, false), line(&added, true)];
        let touched = ["src/x.rs".to_owned()];
        let task = TaskAtHand { draft: "What now?", touched: &touched };
        let injected = inject(&files, &[], &lines, &task);
        let mut wishes = Wishes::default();
        if left_out {
            wishes.set("memory:AGENTS.md".into(), "AGENTS.md".into(), Some(Wish::LeftOut)).unwrap();
        }
        let (request, fixed) = composed(&injected, window, &wishes);
        let sent: Vec<&str> = request.sections.iter().map(|section| section.text.as_str()).collect();
        let sent = sent.join("\n");
        let rules = texts.iter().map(|(_, text)| text).chain([&added]).flat_map(|text| text.lines());
        for rule in rules.filter(|line| is_marked(line)) {
            prop_assert!(sent.contains(rule.trim()), "{rule} in {sent}");
        }
        // It is too much only where what has to go is.
        let ask = request.sections.last().map_or(0, |section| section.tokens);
        prop_assert!(request.tokens <= request.budget || fixed + ask > request.budget);
        prop_assert_eq!(request.tokens, fixed + ask);
        // A piece is there once.
        let mut ids: Vec<&str> = memory(&request).into_iter().map(|(path, _)| path).collect();
        let count = ids.len();
        ids.dedup();
        prop_assert_eq!(ids.len(), count);
        // Nothing beyond what fits but rules, our own text and the question.
        if request.tokens > request.budget {
            let only_rules = memory(&request).into_iter().all(|(_, it)| it.id.ends_with("#rules"));
            prop_assert!(only_rules);
        }
    }
}
