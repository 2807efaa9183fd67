//! The offline model's promises: only true quotes, each with the right link, and nothing said besides.

use rstest::rstest;
use siltstone_engine::link;
use siltstone_engine::message::Role;
use siltstone_engine::provider::ProviderError;
use siltstone_engine::section::{RECALL, Reason, Section, SectionKind};

use super::texts::{EN, KO};
use super::*;

fn section(
    kind: SectionKind,
    role: Role,
    source: &str,
    link: Option<String>,
    text: &str,
) -> Section {
    Section {
        id: String::new(),
        kind,
        role,
        source: source.to_owned(),
        link,
        text: text.to_owned(),
        parts: Vec::new(),
        tokens: tokens::estimate(text),
        exact: false,
        reason: Reason::Base,
        pinned: false,
        messages: Vec::new(),
        turns: None,
        redacted: Vec::new(),
    }
}

fn passage(path: &str, line: u32, text: &str) -> Section {
    let link = Some(link::to_file(path, line));
    section(SectionKind::Passage, Role::User, &format!("{path}:{line}"), link, text)
}

fn memory(path: &str, text: &str) -> Section {
    let link = Some(link::to_file(path, 1));
    section(SectionKind::Memory, Role::System, path, link, text)
}

fn turn(role: Role, number: usize, text: &str) -> Section {
    let link = Some(format!("silt:message/{number}"));
    section(SectionKind::Turn, role, "conversation", link, text)
}

fn ask(mut sections: Vec<Section>, question: &str, language: &str) -> ModelRequest {
    sections.push(section(SectionKind::Draft, Role::User, "composer", None, question));
    ModelRequest::of(OFFLINE, sections, language)
}

/// A quote as a reader sees it: its lines and where its link leads.
#[derive(Debug)]
struct Shown {
    lines: Vec<String>,
    target: String,
}

/// The quotes of an answer, and every other line that is not empty.
fn parse(answer: &str) -> (Vec<Shown>, Vec<String>) {
    let (mut quotes, mut words, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let mut fence: Option<String> = None;
    for line in answer.lines() {
        if let Some(open) = &fence {
            if line == open {
                fence = None;
            } else {
                lines.push(line.to_owned());
            }
        } else if line.starts_with("```") {
            fence = Some(line.chars().take_while(|c| *c == '`').collect());
        } else if let Some(quoted) = line.strip_prefix("> ") {
            lines.push(quoted.to_owned());
        } else if line.starts_with('[') && !lines.is_empty() {
            let target = line.rsplit_once("](").unwrap().1.strip_suffix(')').unwrap();
            quotes.push(Shown { lines: std::mem::take(&mut lines), target: target.to_owned() });
        } else if !line.is_empty() {
            words.push(line.to_owned());
        }
    }
    assert!(fence.is_none() && lines.is_empty(), "a quote is open or has no link: {answer}");
    (quotes, words)
}

/// Whether a section says exactly this at the place the link names.
fn is_true(quote: &Shown, section: &Section) -> bool {
    let Some(link) = &section.link else { return false };
    let all: Vec<&str> = section.text.lines().collect();
    let starts: Vec<usize> = match (quote.target.split_once("?line="), link.split_once("?line=")) {
        (Some((path, line)), Some((own_path, first))) if path == own_path => {
            let line: usize = line.parse().unwrap();
            let first: usize = first.parse().unwrap();
            line.checked_sub(first).into_iter().collect()
        }
        (None, None) if quote.target == *link => (0..all.len()).collect(),
        _ => return false,
    };
    let last = quote.lines.len() - 1;
    starts.iter().any(|start| {
        quote.lines.iter().enumerate().all(|(index, quoted)| {
            let Some(line) = all.get(start + index) else { return false };
            match (index, index == last) {
                (0, true) => line.contains(quoted.as_str()),
                (0, false) => line.ends_with(quoted.as_str()),
                (_, true) => line.starts_with(quoted.as_str()),
                (_, false) => line == quoted,
            }
        })
    })
}

fn check(request: &ModelRequest) -> usize {
    let answer = answer::to(request);
    let (quotes, words) = parse(&answer);
    for quote in &quotes {
        let source = request.sections.iter().find(|section| is_true(quote, section));
        assert!(source.is_some(), "{quote:?} is nowhere in {:#?}", request.sections);
    }
    assert!(words.len() <= 2, "{words:?}");
    assert!([KO.opening, EN.opening].contains(&words[0].as_str()), "{words:?}");
    let second = [EN.nothing_to_look, KO.nothing_to_look, "Looked through: ", "살펴본 것: "];
    assert!(second.iter().any(|start| words[1].starts_with(start)), "{words:?}");
    quotes.len()
}

/// A small generator, seeded, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn line(&mut self) -> String {
        const BITS: [&str; 28] = [
            "port",
            "포트는",
            "5433",
            "갱신 경로",
            "refreshToken()",
            "`code`",
            "```",
            "````rust",
            "~~~",
            "> ",
            "# ",
            "- ",
            "<img src=x onerror=alert(1)>",
            "](silt:file/x?line=9)",
            "![](http://e.example/)",
            "\t",
            "    ",
            "🗼",
            "**bold**",
            "_em_",
            "| a | b |",
            "1. ",
            "설정",
            "token",
            "---",
            "&amp;",
            "[x]: y",
            "끝.",
        ];
        let mut line: Vec<&str> = (0..self.roll(8)).map(|_| BITS[self.roll(BITS.len())]).collect();
        if self.roll(12) == 0 {
            line = line.repeat(80);
        }
        line.join(if self.roll(3) == 0 { "" } else { " " })
    }

    fn text(&mut self) -> String {
        let end = if self.roll(5) == 0 { "\r\n" } else { "\n" };
        let lines: Vec<String> = (0..=self.roll(14)).map(|_| self.line()).collect();
        lines.join(end)
    }
}

#[test]
fn every_quoted_line_stands_where_its_link_leads() {
    let mut dice = Dice(20_261_121);
    let mut quotes = 0;
    for _ in 0..600 {
        let mut sections = Vec::new();
        for number in 0..dice.roll(5) {
            let line = u32::try_from(dice.roll(90) + 1).unwrap();
            let paths = ["a.md", "src/b.rs", "문서/c (1) [x]_.txt", "d", "e.we\nird"];
            sections.push(match dice.roll(4) {
                0 => memory(paths[number], &dice.text()),
                1 => turn(Role::User, number, &dice.text()),
                2 => turn(Role::Assistant, number, &dice.text()),
                _ => passage(paths[number], line, &dice.text()),
            });
        }
        let questions =
            ["Which port has the token?", "갱신 경로와 포트는?", "refreshToken 5433", "?"];
        quotes += check(&ask(sections, questions[dice.roll(4)], "en"));
    }
    assert!(quotes > 500, "only {quotes} quotes were looked at");
}

#[rstest]
#[case(
    "Which port does the database use?",
    "The database listens on port 5433.",
    "docs/db.md?line=9"
)]
#[case(
    "데이터베이스 포트는 몇 번이야?",
    "데이터베이스 포트는 5433이다.",
    "%EB%AC%B8%EC%84%9C.md?line=3"
)]
#[case(
    "Where is the refresh token renewed?",
    "pub fn renew_refresh_token(old: &Token) -> Token {",
    "src/session.rs?line=40"
)]
#[case("배포 전에 무엇을 해야 하나요?", "배포하기 전에 반드시 백업한다.", "AGENTS.md?line=3")]
#[case(
    "What did we decide about caching?",
    "We decided on caching for ten minutes.",
    "silt:message/2"
)]
fn the_best_quote_answers_the_question(
    #[case] question: &str,
    #[case] best: &str,
    #[case] place: &str,
) {
    let sections = vec![
        memory(
            "AGENTS.md",
            "# 규칙\n\n배포하기 전에 반드시 백업한다.\nNever rename a public function.\n",
        ),
        passage(
            "docs/db.md",
            9,
            "# Database\n\nWe keep everything in one place.\nThe database listens on port 5433.\n\n## Backups\n\nEvery night at three.",
        ),
        passage("문서.md", 1, "# 설치\n\n먼저 서버를 켠다.\n데이터베이스 포트는 5433이다.\n"),
        passage(
            "src/session.rs",
            40,
            "/// Renews it.\npub fn renew_refresh_token(old: &Token) -> Token {\n    old.renewed()\n}",
        ),
        turn(Role::User, 1, "How long should caching last?"),
        turn(Role::Assistant, 2, "We decided on caching for ten minutes."),
    ];
    let request = ask(sections, question, "en");
    check(&request);
    let answer = answer::to(&request);
    let (quotes, _) = parse(&answer);
    assert!(quotes[0].lines.iter().any(|line| line == best), "{answer}");
    assert!(quotes[0].target.ends_with(place), "{answer}");
}

#[test]
fn what_was_looked_through_is_counted_and_nothing_found_is_said() {
    let own = format!("{}\n\n> The port is 5433.", EN.opening);
    let sections = vec![
        memory("AGENTS.md", "Be brief."),
        passage("a.md", 1, "Nothing."),
        passage("a.md", 9, "Nothing more."),
        turn(Role::User, 1, "Hello!"),
        turn(Role::Assistant, 2, &own),
    ];
    let english = answer::to(&ask(sections.clone(), "Which port?", "ko"));
    let looked = "Looked through: 2 passages found in 1 file, 1 memory file, 1 earlier message.";
    assert!(english.contains(looked) && english.contains(EN.nothing_found), "{english}");
    let korean = answer::to(&ask(sections, "포트가 뭐야?", "en"));
    let looked = "살펴본 것: 파일 1개에서 찾은 구절 2개, 메모리 파일 1개, 이전 메시지 1개.";
    assert!(korean.contains(looked) && korean.contains(KO.nothing_found), "{korean}");
    let alone = answer::to(&ask(Vec::new(), "Which port?", "ko"));
    assert!(alone.contains(EN.nothing_to_look), "{alone}");
}

/// A passage of what was said, under its heading.
fn recalled(number: u32, worth: u32, said: &str) -> Section {
    let id = format!("{RECALL}00000000-0000-7000-8000-{number:012}");
    let link = Some(format!("silt:message/{number}"));
    let text = format!("[Said on 2026-03-02 by the user in “Ports”]\n{said}");
    let reason =
        Reason::Recalled { rank: number, worth, by_meaning: false, cut: None, otherwise: None };
    let source = "Ports · 2026-03-02";
    Section { id, reason, ..section(SectionKind::Passage, Role::User, source, link, &text) }
}

#[test]
fn what_is_recalled_is_quoted_by_worth_without_its_heading_and_also_where_only_its_sense_fits() {
    let own = format!("{}\n\n> The gateway is 5433.", EN.opening);
    let sections = vec![
        recalled(1, 40, "The gateway port was 5432 then."),
        recalled(2, 90, "The gateway port is 5433 now."),
        recalled(3, 80, "게이트웨이는 오천사백삼십삼번이에요."),
        recalled(4, 95, &own),
        recalled(5, 10, "Lunch at noon."),
    ];
    let request = ask(sections, "Which gateway port?", "en");
    assert_eq!(check(&request), 3);
    let answer = answer::to(&request);
    let (quotes, _) = parse(&answer);
    let targets: Vec<&str> = quotes.iter().map(|quote| quote.target.as_str()).collect();
    assert_eq!(targets, ["silt:message/2", "silt:message/3", "silt:message/1"], "{answer}");
    assert!(answer.contains("4 earlier messages") && !answer.contains("[Said on"), "{answer}");
}

#[test]
fn an_answer_that_was_cut_off_goes_on_where_it_stopped() {
    let found =
        passage("docs/db.md", 9, "# Database\n\n데이터베이스 포트는 5433이다. The port is 5433.");
    let said = turn(Role::User, 1, "Hi");
    let whole = answer::to(&ask(vec![said.clone(), found.clone()], "Which port?", "en"));
    assert!(whole.contains("silt:file/docs/db.md?line="), "{whole}");
    for (cut, _) in whole.char_indices() {
        let asked = turn(Role::User, 2, "Which port?");
        let partial = turn(Role::Assistant, 3, &whole[..cut]);
        let sections = vec![said.clone(), asked, partial, found.clone()];
        let mut request = ask(sections, "Go on.", "en");
        request.sections.last_mut().unwrap().reason = Reason::Continue;
        assert_eq!(answer::to(&request), whole[cut..], "cut at {cut}");
    }
}

#[tokio::test]
async fn it_streams_a_few_words_at_a_time() {
    let request = ask(vec![passage("a.md", 1, "The  port\tis 5433.")], "port", "en");
    let whole = answer::to(&request);
    let came: Vec<Result<Chunk, ProviderError>> =
        Offline::with_pace(Duration::ZERO).stream(request).collect().await;
    let texts: Vec<String> = came
        .iter()
        .filter_map(|chunk| match chunk {
            Ok(Chunk::Text(text)) => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert!(texts.len() > 5 && texts.concat() == whole);
}
