//! Imports put in place.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;

use super::*;

/// Expands `A` of these files, whose names are targets as they are.
fn of(files: &BTreeMap<String, String>) -> Expanded {
    let root = file(MemoryLayer::Project, "A", &files["A"]);
    expand(&root, &mut |_, target| match files.get(target) {
        Some(text) => Ok(Imported { path: target.to_owned(), text: text.clone() }),
        None => Err(Refusal::Missing),
    })
}

fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn what_is_imported_stands_where_it_was_asked_for_and_keeps_its_lines() {
    let expanded = of(&files(&[
        ("A", "---\ninject: dynamic\n---\n# One\n- @b.md\nSee @c.md, then go on.\nEnd\n"),
        ("b.md", "---\npaths: x\n---\nb1\nb2"),
        ("c.md", "c1\n@b.md\nc3\n"),
    ]));
    let pieces: Vec<(&str, u32, &str)> =
        expanded.pieces.iter().map(|it| (it.path.as_str(), it.line, it.text.as_str())).collect();
    assert_eq!(
        pieces,
        [
            ("A", 4, "# One\n"),
            ("b.md", 4, "b1\nb2"),
            ("A", 6, "See @c.md, then go on.\n"),
            ("c.md", 1, "c1\n@b.md\nc3\n"),
            ("A", 7, "End\n"),
        ]
    );
    assert_eq!(expanded.text(), "# One\nb1\nb2\nSee @c.md, then go on.\nc1\n@b.md\nc3\nEnd\n");
    assert_eq!(expanded.front.injection, Some(Injection::Dynamic));
    let notes: Vec<(&str, u32, bool)> =
        expanded.imports.iter().map(|it| (it.from.as_str(), it.line, it.again)).collect();
    assert_eq!(notes, [("A", 5, false), ("A", 6, false), ("c.md", 2, true)]);
}

#[rstest]
#[case::itself("@A", Some(Refusal::Cycle))]
#[case::in_a_ring("@ring", Some(Refusal::Cycle))]
#[case::missing("@nowhere.md", Some(Refusal::Missing))]
#[case::remote("@https://example.com/rules.md", Some(Refusal::Remote))]
#[case::too_deep("@d1", Some(Refusal::TooDeep { most: MAX_IMPORT_DEPTH }))]
#[case::too_much("@huge", Some(Refusal::TooMuch { most: MAX_IMPORT_BYTES }))]
#[case::scope("use @types/node and @angular/core", None)]
#[case::a_person("ask @kim, or mail lee@example.com", None)]
#[case::code("`@nowhere.md`", None)]
fn refusals_name_their_place(#[case] text: &str, #[case] refusal: Option<Refusal>) {
    let huge = "x".repeat(usize::try_from(MAX_IMPORT_BYTES).unwrap() + 1);
    let expanded = of(&files(&[
        ("A", &format!("first\n{text}\nlast")),
        ("ring", "@A"),
        ("d1", "@d2"),
        ("d2", "@d3"),
        ("d3", "@d4"),
        ("d4", "@d5"),
        ("d5", "five\n@d6.md\n@d6"),
        ("d6.md", "six"),
        ("d6", "six"),
        ("huge", &huge),
    ]));
    let refused: Vec<Refusal> =
        expanded.imports.iter().filter_map(|note| note.refused.clone()).collect();
    assert_eq!(refused, Vec::from_iter(refusal));
    // Nothing around it is lost.
    let text = expanded.text();
    assert!(text.starts_with("first\n") && text.ends_with("last"), "{text:.200}");
}

#[test]
fn a_file_asks_for_no_more_imports_than_it_may() {
    let names: Vec<String> = (0..1_000).map(|at| format!("@n{at}.md")).collect();
    let root = file(MemoryLayer::Project, "A", &names.join("\n"));
    let mut looks = 0;
    let expanded = expand(&root, &mut |_, target| {
        looks += 1;
        Ok(Imported { path: target.to_owned(), text: "x".to_owned() })
    });
    assert_eq!(looks, MAX_IMPORTS);
    let last = expanded.imports.last().unwrap();
    assert_eq!(last.refused, Some(Refusal::TooMany { most: MAX_IMPORTS }));
    assert_eq!(expanded.imports.len(), MAX_IMPORTS as usize + 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Files that import each other at random, themselves and absent ones included.
    #[test]
    fn any_graph_of_imports_ends_within_its_bounds(
        graph in prop::collection::vec(prop::collection::vec((0usize..14, 0usize..40_000), 0..9), 12)
    ) {
        let name = |at: usize| if at == 0 { "A".to_owned() } else { format!("f{at}.md") };
        let files: BTreeMap<String, String> = graph.iter().enumerate().map(|(at, imports)| {
            let lines = imports.iter().map(|(to, size)| format!("@{}\n{}\n", name(*to), "y".repeat(*size)));
            (name(at), lines.collect())
        }).collect();
        let expanded = of(&files);
        let imported: Vec<&str> = expanded.imports.iter()
            .filter(|note| note.refused.is_none() && !note.again)
            .filter_map(|note| note.to.as_deref())
            .collect();
        let bytes: usize = imported.iter().map(|name| files[*name].len()).sum();
        prop_assert!(bytes as u64 <= MAX_IMPORT_BYTES);
        prop_assert!(imported.len() <= MAX_IMPORTS as usize);
        prop_assert!(expanded.text().len() <= files["A"].len() + bytes);
        // Each file once, and never the root.
        let mut once = imported.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), imported.len());
        prop_assert!(!imported.contains(&"A"));
        // Every piece is whole lines of the file it names.
        for piece in &expanded.pieces {
            let text = &files[&piece.path];
            let start: usize = text.split_inclusive('\n').take(piece.line as usize - 1).map(str::len).sum();
            prop_assert!(text[start..].starts_with(&piece.text));
        }
    }
}
