//! Compactions of which it is known what they kept: in each of forty-two sessions, in three forms and two languages, a hundred
//! rules, paths, commands and figures were said, and each is in the summary, said again later, or nowhere.

use serde_json::json;
use siltstone_engine::ledger::Category;
use siltstone_engine::vault::{Stays, dropped};

use super::*;

/// Of each kind.
const SEEDS: usize = 25;

/// Sessions of each form in each language.
const SESSIONS: u64 = 7;

const ENGLISH: [&str; SEEDS] = [
    "queue",
    "order",
    "ledger",
    "cache",
    "invoice",
    "session",
    "courier",
    "basket",
    "voucher",
    "customer",
    "parcel",
    "refund",
    "catalogue",
    "stock",
    "receipt",
    "webhook",
    "mailer",
    "search",
    "import",
    "export",
    "profile",
    "avatar",
    "tariff",
    "coupon",
    "archive",
];

const KOREAN: [&str; SEEDS] = [
    "대기열",
    "주문",
    "장부",
    "캐시",
    "송장",
    "세션",
    "배송",
    "장바구니",
    "상품권",
    "고객",
    "소포",
    "환불",
    "목록",
    "재고",
    "영수증",
    "웹훅",
    "메일",
    "검색",
    "가져오기",
    "내보내기",
    "프로필",
    "사진",
    "요금",
    "쿠폰",
    "보관함",
];

/// Something that was said, by what it is known, and where it stays.
struct Seed {
    category: Category,
    said: String,
    known_by: String,
    stays: Stays,
}

fn seeds(korean: bool, draw: &mut impl FnMut(u64) -> u64) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for at in 0..SEEDS {
        let noun = if korean { KOREAN[at] } else { ENGLISH[at] };
        let figure = 101 + 17 * at as u64 + draw(16);
        let path = format!("src/{}/part_{at}.rs", ENGLISH[at]);
        let command = format!("cargo test -p {}-{at}", ENGLISH[at]);
        let four = match korean {
            false => [
                (Category::Constraint, format!("Never rename the {noun} table."), None),
                (Category::Path, format!("Look at {path} first."), Some(path)),
                (Category::Command, format!("Run `{command}` afterwards."), Some(command)),
                (Category::Number, format!("The {noun} limit is {figure} MB."), None),
            ],
            true => [
                (Category::Constraint, format!("{noun} 테이블 이름은 절대 바꾸지 마세요."), None),
                (Category::Path, format!("먼저 {path} 파일을 봐 주세요."), Some(path)),
                (Category::Command, format!("그다음 `{command}`를 실행해 주세요."), Some(command)),
                (Category::Number, format!("{noun} 한도는 {figure}MB입니다."), None),
            ],
        };
        for (category, said, known_by) in four {
            let known_by = known_by.unwrap_or_else(|| match category {
                Category::Number => figure.to_string(),
                _ => format!("{noun} "),
            });
            let stays = match draw(3) {
                0 => Stays::Summary,
                1 => Stays::Later,
                _ => Stays::Nowhere,
            };
            seeds.push(Seed { category, said, known_by, stays });
        }
    }
    seeds
}

/// What was said before the compaction by turns, its summary, and what was said after it, as an agent writes it down.
fn written(agent: Agent, before: &[String], summary: &str, after: &[String]) -> String {
    let mut lines = Vec::new();
    let mut last: Option<String> = None;
    let mut say = |role: &str, text: &str, lines: &mut Vec<serde_json::Value>| {
        let id = format!("m{}", lines.len());
        let at = "2026-11-20T09:00:00.000Z";
        lines.push(match agent {
            Agent::ClaudeCode => json!({
                "type": role, "uuid": id, "parentUuid": last, "timestamp": at, "sessionId": "s",
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }),
            Agent::Codex => json!({"timestamp": at, "type": "response_item", "payload": {
                "type": "message", "role": role,
                "content": [{"type": if role == "user" { "input_text" } else { "output_text" }, "text": text}],
            }}),
            _ => json!({
                "id": id, "timestamp": at, "content": text,
                "type": if role == "user" { "user" } else { "gemini" },
            }),
        });
        last = Some(id);
    };
    match agent {
        Agent::Codex => lines.push(json!({"timestamp": "2026-11-20T09:00:00.000Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}})),
        Agent::GeminiCli => lines.push(json!({"sessionId": "s", "kind": "main", "directories": ["/w"]})),
        _ => {}
    }
    for text in before {
        say("user", text, &mut lines);
        say("assistant", "Understood.", &mut lines);
    }
    match agent {
        Agent::ClaudeCode => {
            lines.push(json!({
                "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null,
                "logicalParentUuid": format!("m{}", lines.len() - 1), "sessionId": "s",
                "compactMetadata": {"trigger": "auto", "preTokens": 100_000},
            }));
            lines.push(json!({
                "type": "user", "uuid": "c", "parentUuid": "b", "isCompactSummary": true,
                "sessionId": "s", "message": {"role": "user", "content": summary},
            }));
        }
        Agent::Codex => lines.push(json!({"timestamp": "2026-11-20T09:00:00.000Z", "type": "compacted", "payload": {"message": summary}})),
        _ => lines.push(json!({"$set": {"messages": [
            {"id": "s1", "type": "user", "content": format!("<state_snapshot>{summary}</state_snapshot>")},
            {"id": "s2", "type": "gemini", "content": "Got it."},
        ]}})),
    }
    let mut rest = Vec::new();
    for (at, text) in after.iter().enumerate() {
        let parent = if at == 0 { "c".to_owned() } else { format!("a{}", at - 1) };
        rest.push(match agent {
            Agent::ClaudeCode => json!({
                "type": "user", "uuid": format!("a{at}"), "parentUuid": parent, "sessionId": "s",
                "message": {"role": "user", "content": text},
            }),
            Agent::Codex => json!({"timestamp": "2026-11-20T10:00:00.000Z", "type": "response_item", "payload": {
                "type": "message", "role": "user", "content": [{"type": "input_text", "text": text}],
            }}),
            _ => json!({"id": format!("a{at}"), "type": "user", "content": text}),
        });
    }
    lines.extend(rest);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_a_compaction_kept_and_what_it_dropped_is_told_of_each_thing_that_was_said() {
    let mut dice = 7_u64;
    let mut draw = |below: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % below
    };
    let (mut told, mut wrong) = (0, Vec::new());
    for (agent, path, _) in PLACES {
        for round in 0..2 * SESSIONS {
            let seeds = seeds(round % 2 == 1, &mut draw);
            let said = |stays: Stays| -> Vec<String> {
                let these = seeds.iter().filter(|seed| seed.stays == stays);
                these.map(|seed| seed.said.clone()).collect()
            };
            let before: Vec<String> = seeds
                .chunks(4)
                .map(|turn| turn.iter().map(|it| it.said.as_str()).collect::<Vec<_>>().join(" "))
                .collect();
            let summary = said(Stays::Summary).join("\n");
            let text = written(agent, &before, &summary, &said(Stays::Later));
            let found = dropped(&read(agent, path, text));
            let [found] = &found[..] else { panic!("{agent:?}: {} compactions", found.len()) };
            for seed in &seeds {
                let is_it = |fact: &&siltstone_engine::vault::DroppedFact| {
                    fact.category == seed.category && fact.text.contains(&seed.known_by)
                };
                let stays = found.facts.iter().find(is_it).map(|fact| fact.stays);
                told += 1;
                if stays != Some(seed.stays) {
                    wrong.push(format!("{agent:?}: {} {:?} {stays:?}", seed.said, seed.stays));
                }
            }
        }
    }
    assert_eq!(told, 3 * 2 * SESSIONS as usize * 4 * SEEDS);
    assert!(
        wrong.is_empty(),
        "{} of {told}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
