//! The last part of `docs/silt.md`: every command with what may be typed, as the program itself says it. The test
//! compares; `UPDATE=1 cargo test -p siltstone-cli reference` writes it anew.

use std::fmt::Write;
use std::path::Path;

use clap::{Arg, Command};

use super::command;
use crate::words::Lang;

/// The heading under which everything is written.
const HEADING: &str = "## Every command\n";

fn reference() -> String {
    let mut root = command(Lang::En);
    root.build();
    let mut text = format!(
        "{HEADING}\nWritten from the program, which says the same with `--help`. `UPDATE=1 cargo test -p siltstone-cli \
         reference` renews it.\n"
    );
    for group in commands(&root) {
        let _ = write!(text, "\n### {}\n\n", group.get_name());
        let about = group.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "{about}.\n");
        let shared = |arg: &&Arg| arg.is_global_set() && !is_of_all(&root, arg);
        group.get_arguments().filter(shared).for_each(|arg| line(&mut text, "", arg));
        beneath(&mut text, &root, group, "silt");
    }
    text
}

fn beneath(text: &mut String, root: &Command, of: &Command, before: &str) {
    let name = format!("{before} {}", of.get_name());
    let inner: Vec<&Command> = commands(of).collect();
    inner.iter().for_each(|inner| beneath(text, root, inner, &name));
    if !inner.is_empty() {
        return;
    }
    let own: Vec<&Arg> = of
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !arg.is_global_set() && !is_of_all(root, arg))
        .collect();
    let words: String = own.iter().filter(|arg| arg.is_positional()).map(|it| typed(it)).collect();
    let options = if own.iter().any(|arg| !arg.is_positional()) { " [OPTIONS]" } else { "" };
    let about = of.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(text, "- `{name}{options}{words}`: {about}");
    own.iter().for_each(|arg| line(text, "  ", arg));
}

/// What has to be typed for an argument, and how often it may be.
fn typed(arg: &Arg) -> String {
    let name = arg.get_id().as_str().to_uppercase();
    let many = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    let many = if many { "…" } else { "" };
    match arg.is_required_set() {
        true => format!(" {name}{many}"),
        false => format!(" [{name}{many}]"),
    }
}

fn line(text: &mut String, indent: &str, arg: &Arg) {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let takes = arg.get_action().takes_values();
    let value = arg.get_value_names().and_then(|names| names.first()).filter(|_| takes);
    let value = value.map(|value| format!(" {value}")).unwrap_or_default();
    let name = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}{value}"),
        (_, Some(long)) => format!("--{long}{value}"),
        _ => arg.get_id().as_str().to_uppercase(),
    };
    let choices = arg.get_possible_values();
    let choices: Vec<&str> = choices.iter().filter(|_| takes).map(|it| it.get_name()).collect();
    let choices = match choices.as_slice() {
        [] => String::new(),
        choices => format!(" ({})", choices.join(", ")),
    };
    let _ = writeln!(text, "{indent}- `{name}`: {help}{choices}");
}

fn commands(of: &Command) -> impl Iterator<Item = &Command> {
    of.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
}

/// Whether every command has it: these stand at the head of the page.
fn is_of_all(root: &Command, arg: &Arg) -> bool {
    let known = root.get_arguments().any(|known| known.get_id() == arg.get_id());
    known || ["help", "version"].contains(&arg.get_id().as_str())
}

#[test]
fn the_reference_says_what_the_program_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/silt.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let head = text.split(HEADING).next().unwrap();
    let fresh = format!("{}\n\n{}", head.trim_end(), reference());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&page, &fresh).unwrap();
    } else {
        assert_eq!(text, fresh, "UPDATE=1 cargo test -p siltstone-cli reference");
    }
}

/// The spans of code in the first column of the tables above the reference.
fn spans(page: &str) -> Vec<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let firsts =
        rows.filter_map(|row| row.replace("\\|", "¦").split('|').next().map(str::to_owned));
    firsts
        .flat_map(|first| {
            let whole = format!("`{first}");
            whole.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        })
        .filter(|span| !span.starts_with('-'))
        .collect()
}

#[test]
fn what_the_tables_name_there_is() {
    let mut root = command(Lang::En);
    root.build();
    let page = include_str!("../../../../../docs/silt.md").split(HEADING).next().unwrap();
    let mut seen = 0;
    for span in spans(page) {
        let mut at = &root;
        let mut rest = Vec::new();
        for word in span.split_whitespace() {
            match at.find_subcommand(word).filter(|_| rest.is_empty()) {
                Some(inner) => at = inner,
                None => rest.push(word),
            }
        }
        assert!(!std::ptr::eq(at, &root), "`{span}`: no such command");
        seen += 1;
        // Several of one group in a row, such as `session carry offer ¦ always`, are told by their first.
        if span.contains('¦') {
            continue;
        }
        assert!(!at.has_subcommands() || rest.is_empty(), "`{span}`: {rest:?}");
        for word in rest {
            let flag = word.trim_start_matches(['[', '(']).trim_end_matches([']', ')', '…']);
            if let Some(long) = flag.strip_prefix("--").filter(|long| !long.is_empty()) {
                let known = at.get_arguments().any(|arg| arg.get_long() == Some(long));
                assert!(known, "`{span}`: no {flag}");
            }
        }
    }
    assert!(seen > 100, "{seen}");
}
