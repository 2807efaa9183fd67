//! What goes into a request and why (behaviour.md, Memory).

use rstest::rstest;

use super::*;
use crate::section::LeftOutWhy;
use MemoryLayer::{Directory, Global, Project, Runtime, Session};

const PROJECT: &str = "# AGENTS.md\n\nAurora is a mail server.\n\n## 데이터베이스\nPostgres 16.\n\n\
    ### Migrations\nOne file each.\n\n## Web\nSee src/web/.\n\n## Secrets\nNEVER log a token.\n";

fn task<'a>(draft: &'a str, touched: &'a [String]) -> TaskAtHand<'a> {
    TaskAtHand { draft, touched }
}

fn paths(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

/// What one project file brings to a task: its text and the reason, or why it is left out.
fn one(text: &str, draft: &str, touched: &[&str]) -> Result<(String, InjectedWhy), LeftOutWhy> {
    let touched = paths(touched);
    let files = [alone(Project, "rules/db.md", text)];
    let mut injected = inject(&files, &[], &[], &task(draft, &touched));
    match injected.texts.pop() {
        Some(it) => Ok((it.text, it.why)),
        None => Err(injected.left_out.pop().unwrap().why),
    }
}

/// behaviour.md, Memory: at the start, and the same whatever the task.
#[rstest]
#[case("")]
#[case("데이터베이스를 고쳐 줘")]
fn static_injection(#[case] draft: &str) {
    assert_eq!(one(PROJECT, draft, &[]), Ok((PROJECT.to_owned(), InjectedWhy::Always)));
}

/// behaviour.md, Memory: what the task at hand needs, and the rules.
#[rstest]
#[case::heading("데이터베이스에서 느린 질의 찾기", &[], &["데이터베이스"], &["Postgres 16.", "One file each."], &["src/web"])]
#[case::below("Write the next migration", &[], &["Migrations"], &["## 데이터베이스", "One file each."], &["Postgres", "src/web"])]
#[case::path("why?", &["src/web/login.ts"], &["Web"], &["See src/web/."], &["Postgres"])]
#[case::named("look at src/web/login.ts.", &[], &["Web"], &["See src/web/."], &["Postgres"])]
fn dynamic_injection(
    #[case] draft: &str,
    #[case] touched: &[&str],
    #[case] headings: &[&str],
    #[case] there: &[&str],
    #[case] absent: &[&str],
) {
    let text = format!("---\ninject: dynamic\n---\n{PROJECT}");
    let (sent, why) = one(&text, draft, touched).unwrap();
    assert_eq!(why, InjectedWhy::Headings { headings: paths(headings) });
    for text in there.iter().chain(&["mail server", "## Secrets\nNEVER log a token."]) {
        assert!(sent.contains(text), "{text} in {sent}");
    }
    assert!(!absent.iter().any(|text| sent.contains(text)), "{sent}");
}

/// behaviour.md, Memory: only when it is mentioned; its rules in any case.
#[rstest]
#[case::word("when: [schema, 데이터베이스]", "데이터베이스는 왜 느려?", &[], Some("데이터베이스"))]
#[case::plural("when: schema", "Compare both Schemas", &[], Some("schema"))]
#[case::part_of_a_word("when: [db, 이스]", "dbx 데이터베이스", &[], None)]
#[case::in_a_path("when: schema", "x", &["db/schema.sql"], Some("schema"))]
#[case::in_other_words("when: [database]", "How are the DB tables laid out?", &[], Some("database"))]
#[case::its_name("inject: lazy", "is the DB up?", &[], Some("db"))]
#[case::its_heading("inject: lazy", "다음 migration", &[], Some("migrations"))]
#[case::nothing("inject: lazy", "hello", &[], None)]
fn lazy_loading(
    #[case] front: &str,
    #[case] draft: &str,
    #[case] touched: &[&str],
    #[case] word: Option<&str>,
) {
    let text = format!("---\n{front}\n---\n{PROJECT}");
    let expected = match word {
        Some(word) => (PROJECT.to_owned(), InjectedWhy::Mentioned { word: word.to_owned() }),
        None => ("# AGENTS.md\n## Secrets\nNEVER log a token.".to_owned(), InjectedWhy::Must),
    };
    assert_eq!(one(&text, draft, touched), Ok(expected));
}

#[rstest]
#[case("src/**/*.ts", "src/a/b.ts", true)]
#[case("src/*.ts", "src/a/b.ts", false)]
#[case("*.ts", "src/a/b.ts", true)]
#[case("src/", "src/a/b.ts", true)]
#[case("./src/**", "lib/a.ts", false)]
#[case("*.{ts,tsx}", "a.tsx", true)]
fn paths_limit_a_file(#[case] glob: &str, #[case] touched: &str, #[case] goes: bool) {
    let text = format!("---\npaths: {glob}\n---\nNEVER use any.");
    let why = InjectedWhy::Paths { path: touched.to_owned(), named: false };
    let expected =
        if goes { Ok(("NEVER use any.".to_owned(), why)) } else { Err(LeftOutWhy::NotTouched) };
    assert_eq!(one(&text, "x", &[touched]), expected);
    assert_eq!(one(&text, "x", &[]), Err(LeftOutWhy::NotTouched));
    // A lazy file waits for its paths alone.
    let lazy = text.replace("paths:", "inject: lazy\npaths:");
    assert_eq!(one(&lazy, "x", &[touched]), expected);
}

#[rstest]
#[case("change src/db/q.ts", &["src/db/q.ts"])]
#[case("change @src/db/q.ts, please", &["src/db/q.ts"])]
#[case("`./src/db/q.ts` and (src/api/).", &["./src/db/q.ts", "src/api/"])]
#[case("src/db/q.ts를 고쳐 줘", &["src/db/q.ts"])]
#[case("문서/안내.md에서", &["문서/안내.md"])]
#[case("open /code/a/src/x.rs: why?", &["/code/a/src/x.rs"])]
#[case("see https://a.example/b and e.g. this", &["e.g"])]
#[case("no path at all", &[])]
fn a_message_names_paths_in_plain_words(#[case] draft: &str, #[case] expected: &[&str]) {
    assert_eq!(paths_in(draft).collect::<Vec<_>>(), expected);
}

#[test]
fn what_joins_says_whether_the_message_named_it() {
    let files = [alone(Directory, "src/db/AGENTS.md", "One file each.")];
    let touched = paths(&["src/db/q.ts"]);
    let why = |draft: &str| inject(&files, &[], &[], &task(draft, &touched)).texts[0].why.clone();
    let path = "src/db/q.ts".to_owned();
    let named = InjectedWhy::Directory { path: path.clone(), named: true };
    assert_eq!(why("change src/db/q.ts"), named);
    assert_eq!(why("change it"), InjectedWhy::Directory { path, named: false });
}

#[test]
fn what_changes_least_comes_first_and_what_stays_out_says_why() {
    let mut twin = alone(Project, "CLAUDE.md", "same");
    twin.file.same_as = Some(SameAs { path: "AGENTS.md".into(), how: Sameness::File });
    let mut large = alone(Project, "GEMINI.md", "");
    large.file.refused = Some(Refusal::TooLarge { bytes: 9, most: 1 });
    let files = [
        alone(Directory, "src/AGENTS.md", "in src"),
        alone(Directory, "srcs/AGENTS.md", "in srcs"),
        alone(Project, "AGENTS.md", "same"),
        twin,
        large,
        alone(Project, ".goosehints", "off"),
        alone(Project, "empty.md", " \n"),
        alone(Global, "/home/kim/.gemini/GEMINI.md", "everywhere\u{200B}"),
    ];
    let off = FileRecord {
        path: ".goosehints".into(),
        choice: FileChoice { on: false, ..FileChoice::default() },
        ..FileRecord::default()
    };
    let lines = [line("now\u{202E}", false), line("here", true), line("MUST stay", false)];
    let touched = paths(&["src/main.rs"]);
    let injected = inject(&files, &[off], &lines, &task("", &touched));
    let texts: Vec<(MemoryLayer, &str)> =
        injected.texts.iter().map(|it| (it.layer, it.text.as_str())).collect();
    assert_eq!(
        texts,
        [
            (Global, "everywhere"),
            (Project, "same"),
            (Directory, "in src"),
            (Session, "here"),
            (Runtime, "now\nMUST stay"),
        ]
    );
    let why = InjectedWhy::Directory { path: "src/main.rs".into(), named: false };
    assert_eq!(injected.texts[2].why, why);
    assert_eq!(injected.texts[4].why, InjectedWhy::Added { lines: 2 });
    assert_eq!(injected.texts[4].must.as_deref(), Some("MUST stay"));
    let out: Vec<(&str, LeftOutWhy)> =
        injected.left_out.iter().map(|left| (left.source.as_str(), left.why)).collect();
    assert_eq!(
        out,
        [
            ("CLAUDE.md", LeftOutWhy::Duplicate),
            ("GEMINI.md", LeftOutWhy::Refused),
            (".goosehints", LeftOutWhy::Off),
            ("srcs/AGENTS.md", LeftOutWhy::NotTouched),
        ]
    );
}

#[test]
fn the_choice_of_the_person_stands_above_what_the_file_says() {
    let files = [alone(Project, "rules/db.md", "---\ninject: lazy\n---\nPostgres 16.")];
    let record = |injection| FileRecord {
        path: "rules/db.md".into(),
        choice: FileChoice { injection, ..FileChoice::default() },
        ..FileRecord::default()
    };
    let goes = |injection| inject(&files, &[record(injection)], &[], &task("x", &[])).texts.len();
    assert_eq!(goes(None), 0);
    assert_eq!(goes(Some(Injection::Static)), 1);
}
