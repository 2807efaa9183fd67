//! Merging.

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use MemoryLayer::{Directory, Global, Project, Runtime};

/// The lines that are struck, each with the layer and the line of the winner.
fn struck(effective: &Effective) -> Vec<(&str, MemoryLayer, u32)> {
    let over = |line: &EffectiveLine| line.overridden_by.as_ref().map(|by| (by.layer, by.line));
    let lines = effective.lines.iter();
    lines.filter_map(|line| over(line).map(|(layer, at)| (line.text.as_str(), layer, at))).collect()
}

/// behaviour.md, Memory: global lowest, then project, then directory; what is added while working overrides all.
#[test]
fn loading_priority() {
    let files = [
        alone(Directory, "src/api/AGENTS.md", "indent: 3"),
        alone(Project, "AGENTS.md", "# Rules\n\n- indent: 2"),
        alone(Directory, "src/AGENTS.md", "indent = 8"),
        alone(Global, "/home/kim/.gemini/GEMINI.md", "indent: 4"),
    ];
    let order = |lines: &[MemoryLine]| -> Vec<(MemoryLayer, String, Option<MemoryLayer>)> {
        let effective = effective(&files, lines);
        let indents = effective.lines.into_iter().filter(|line| line.text.contains("indent"));
        indents.map(|it| (it.layer, it.text, it.overridden_by.map(|by| by.layer))).collect()
    };
    let said = |layer, text: &str, over| (layer, text.to_owned(), over);
    let project = "- indent: 2";
    // The nearer of two directories stands above the farther one.
    assert_eq!(
        order(&[]),
        [
            said(Global, "indent: 4", Some(Directory)),
            said(Project, project, Some(Directory)),
            said(Directory, "indent: 3", None),
            said(Directory, "indent = 8", Some(Directory)),
        ]
    );
    assert!(
        order(&[line("indent: 1", true), line("Indent: 0", false)])[..5]
            .iter()
            .all(|(.., over)| *over == Some(Runtime))
    );
}

#[rstest]
#[case::key("port: 1", "port: 2", &["port: 1"])]
#[case::korean("- **들여쓰기**: 2칸", "들여쓰기 = 4칸", &["- **들여쓰기**: 2칸"])]
#[case::the_same("port: 1", "- `port`: 1", &[])]
#[case::no_key("note: a\nsee http://a.b/c\na == b", "note: b\nsee http://a.b/d\na == c", &[])]
#[case::elsewhere("# T\n## Web\nport: 1", "# T\n## Database\nport: 2", &[])]
#[case::same_place("# T\n## Web\nport: 1", "# U\n## Web\nport: 2", &["## Web", "port: 1"])]
#[case::heading("## Tests\n- a\n### x\nb\n## C\nc", "## tests\n- d", &["## Tests", "- a", "### x", "b"])]
#[case::title("# Rules\n- a", "# Rules\n- b", &[])]
#[case::rules_stay("## Git\n- NEVER force\n- rebase", "## Git\n- merge", &["## Git", "- rebase"])]
#[case::code("```\nport: 1\n```", "port: 2", &[])]
fn what_can_be_known_to_be_spoken_over_is(
    #[case] global: &str,
    #[case] project: &str,
    #[case] expected: &[&str],
) {
    let files = [alone(Global, "/g.md", global), alone(Project, "AGENTS.md", project)];
    let effective = effective(&files, &[]);
    let struck = struck(&effective);
    assert_eq!(struck.iter().map(|(text, ..)| *text).collect::<Vec<_>>(), expected);
    assert!(struck.iter().all(|(_, layer, _)| *layer == Project));
}

#[test]
fn files_of_one_layer_do_not_speak_over_each_other_and_newer_lines_do_over_older() {
    let files = [
        alone(Project, "AGENTS.md", "port: 1"),
        alone(Project, "GEMINI.md", "port: 2"),
        alone(Directory, "a/AGENTS.md", "host: a"),
        alone(Directory, "ab/AGENTS.md", "host: b"),
    ];
    assert_eq!(struck(&effective(&files, &[])), []);
    let lines = [line("host: c", false), line("host: d\nmore", false)];
    let effective = effective(&[], &lines);
    assert_eq!(struck(&effective), [("host: c", Runtime, 1)]);
    assert_eq!(effective.lines[2].line_id, Some(lines[1].id));
}

#[test]
fn what_is_said_twice_and_what_it_costs_is_named() {
    let mut twin = alone(Project, "CLAUDE.md", "- Use pnpm only");
    twin.file.same_as = Some(SameAs { path: "AGENTS.md".into(), how: Sameness::Text });
    let mut files = [
        alone(Global, "/g.md", "* use  **pnpm** only\nx"),
        alone(Project, "AGENTS.md", "- Use pnpm only\nx"),
        twin,
    ];
    files[1].file.bytes = 99;
    let effective = effective(
        &files,
        &[line("gone", false)].map(|mut line| {
            line.removed_at = Some(line.created_at);
            line
        }),
    );
    let same: Vec<Option<&Origin>> = effective.lines.iter().map(|it| it.same_as.as_ref()).collect();
    let first = Origin { layer: Global, path: Some("/g.md".into()), line: 1 };
    assert_eq!(same, [None, None, Some(&first), None]);
    assert_eq!(effective.files[2].tokens, 0);
    let layers: Vec<(MemoryLayer, u64)> =
        effective.tokens.iter().map(|it| (it.layer, it.tokens)).collect();
    assert_eq!(layers, [(Global, files[0].tokens), (Project, files[1].tokens)]);
}

proptest! {
    #[test]
    fn every_line_stays_in_order_and_only_a_higher_layer_strikes(
        texts in prop::collection::vec("(#{1,3} [ab]|[ab]: [xy]|- [ab]|MUST [ab]: z|```|\n){0,12}", 5)
    ) {
        // The generated stretches hang together; lines are what counts.
        let texts: Vec<String> = texts.iter().map(|text| text.replace('#', "\n#").replace("```", "\n```\n")).collect();
        let files: Vec<Expanded> = [(Global, "/g"), (Project, "p"), (Project, "q"), (Directory, "a/p"), (Directory, "a/b/p")]
            .into_iter()
            .zip(&texts)
            .map(|((layer, path), text)| alone(layer, path, text))
            .collect();
        let effective = effective(&files, &[]);
        let lines: Vec<&str> = effective.lines.iter().map(|line| line.text.as_str()).collect();
        let expected: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
        let fronts = texts.iter().any(|text| text.starts_with("---"));
        prop_assert!(fronts || lines == expected, "{lines:?}");
        for line in &effective.lines {
            if let Some(by) = &line.overridden_by {
                let nearer = by.path.as_deref() == Some("a/b/p") && line.path.as_deref() == Some("a/p");
                prop_assert!(by.layer > line.layer || nearer);
                prop_assert!(!line.must);
            }
        }
    }
}
