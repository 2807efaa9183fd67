//! Rules that always go.

use rstest::rstest;

use crate::memory::must::{is_marked, rules};

#[rstest]
#[case("You MUST run the tests", true)]
#[case("**NEVER** push to main", true)]
#[case("MUSTARD and NEVERLAND, must and never", false)]
#[case("반드시 테스트하세요", true)]
#[case("절대로 지우지 않는다", true)]
#[case("절대 경로를 쓴다. 절대값, 절대적", false)]
#[case("절대 경로는 절대 쓰지 않는다", true)]
#[case("커밋하지 마세요", true)]
#[case("하지 마", true)]
#[case("쓰지 말 것", true)]
#[case("추측하지말고 물어본다", true)]
#[case("언제까지 마쳐야 하는지, 먼지 말끔히", false)]
fn marks_are_known(#[case] line: &str, #[case] expected: bool) {
    assert_eq!(is_marked(line), expected, "{line}");
}

#[rstest]
#[case::an_item("# T\n- a\n- MUST b\n  goes on\n\n  still\n- c", Some("# T\n- MUST b\n  goes on"))]
#[case::nested("- NEVER:\n  - a\n  - b\n- c", Some("- NEVER:\n  - a\n  - b"))]
#[case::a_paragraph("x\n\nfirst\nthis MUST hold\nlast\n\ny", Some("first\nthis MUST hold\nlast"))]
#[case::colon("You MUST:\n\n- a\n- b\n\nz", Some("You MUST:\n- a\n- b"))]
#[case::block(
    "MUST begin with:\n```\nMIT\n\n2026\n```\nz",
    Some("MUST begin with:\n```\nMIT\n\n2026\n```")
)]
#[case::section(
    "# A\n## 절대 하지 마\n- a\n\n### x\nb\n## B\nc",
    Some("# A\n## 절대 하지 마\n- a\n### x\nb")
)]
#[case::headings(
    "# A\n## B\nMUST x\n## C\ny\n# D\n### E\nNEVER z",
    Some("# A\n## B\nMUST x\n# D\n### E\nNEVER z")
)]
#[case::beside("- MUST a:\n- b\n\n1. NEVER c:\n\n   - d", Some("- MUST a:\n1. NEVER c:\n   - d"))]
#[case::code_is_none("```\nMUST\n```\n<!-- NEVER\nMUST -->", None)]
#[case::none("# Style\nbe kind", None)]
fn rules_are_whole(#[case] text: &str, #[case] expected: Option<&str>) {
    assert_eq!(rules(text).as_deref(), expected);
}

/// Each of these is as large as a file may be, and takes the square of its length where a line is read twice.
#[rstest]
#[case("MUST\n")]
#[case("- MUST:\n")]
#[case("# MUST\n")]
#[case("MUST:\n- a\n")]
#[case("- NEVER\n  a\n")]
fn a_file_made_of_rules_is_read_once(#[case] unit: &str) {
    let most = usize::try_from(crate::memory::MAX_FILE_BYTES).unwrap();
    let text = unit.repeat(most / unit.len());
    assert_eq!(rules(&text).map(|rules| rules.len() + 1), Some(text.len()));
}
