//! Calls as models write them.

use proptest::prelude::*;
use rstest::rstest;

use crate::tool::{BUILT_IN, Call, CommandCall, FileCall};

fn parse(name: &str, arguments: &str) -> Call {
    Call::parse(name, arguments).unwrap()
}

/// What a model is told names the tool, the argument and what is wrong with it.
#[rstest]
#[case("read_file", r#"{"file":"a"}"#, "missing field `path`")]
#[case("read_file", r#"{"path":7}"#, "path: invalid type: integer `7`, expected a string")]
#[case("read_file", r#"{"path":"a","offset":-1}"#, "offset: expected a whole number from 0")]
#[case("read_file", r#"{"path":"a","limit":1.5}"#, "limit: expected a whole number from 0")]
#[case("read_file", r#"{"path":"a","limit":"ten"}"#, "limit: expected a whole number from 0")]
#[case("read_output", r#"{"path":"f00d"}"#, "missing field `handle`")]
#[case("edit_file", r#"{"path":"a","old":"b"}"#, "missing field `new`")]
#[case("edit_file", r#"{"path":"a","old":"b","new":"c","all":"yes"}"#, "all: invalid type")]
#[case("move_file", r#"{"from":"a"}"#, "missing field `to`")]
#[case("run_command", "{}", "missing field `command`")]
#[case("propose", r#"{"title":"x"}"#, "missing field `change`")]
#[case("propose", r#"{"change":"conquer"}"#, "unknown variant `conquer`")]
#[case("write_file", r#"{"path":"a","text":"cut of"#, "EOF while parsing a string")]
#[case("write_file", "path=a", "expected value at line 1 column 1")]
#[case("run_command", r#"{"command":"ls","command":"rm -r ."}"#, "\"command\" is given twice")]
#[case("mcp__a__b", r#"{"to":{"id":1,"id":2}}"#, "\"id\" is given twice")]
#[case("find_files", r#"["**"]"#, "they are not an object")]
#[case("find_files", "null", "they are not an object")]
#[case("mcp__a__b", "7", "they are not an object")]
fn an_error_says_what_to_do(#[case] name: &str, #[case] arguments: &str, #[case] said: &str) {
    let error = Call::parse(name, arguments).unwrap_err().to_string();
    assert!(error.contains(said), "{error}");
    assert!(error.contains(name), "{error}");
    assert!(error.ends_with("Call it again with a JSON object as its schema says."), "{error}");
}

#[test]
fn a_tool_that_is_not_there_is_named() {
    let error = Call::parse("rm", "{}").unwrap_err().to_string();
    assert_eq!(error, "There is no tool rm. Call one of those that are described.");
}

/// Gemini's numbers are floating-point ones; small models write them as text and leave out what may be left out.
#[rstest]
#[case(r#"{"path":"a","offset":3,"limit":40}"#, 3, Some(40))]
#[case(r#"{"path":"a","offset":3.0,"limit":4e1}"#, 3, Some(40))]
#[case(r#"{"path":"a","offset":"3","limit":" 40 "}"#, 3, Some(40))]
#[case(r#"{"path":"a","offset":0,"limit":null}"#, 1, None)]
#[case(r#"{"path":"a","because":"of that"}"#, 1, None)]
fn whole_numbers_are_read_as_they_are_meant(
    #[case] arguments: &str,
    #[case] offset: u64,
    #[case] limit: Option<u64>,
) {
    let expected = FileCall::Read { path: "a".into(), offset, limit };
    assert_eq!(parse("read_file", arguments), Call::File(expected));
}

#[test]
fn no_arguments_are_an_empty_object() {
    for arguments in ["", "  \n", "{}"] {
        let call = parse("list_files", arguments);
        assert_eq!(call, Call::File(FileCall::List { path: String::new() }));
    }
    assert!(matches!(parse("mcp__a__b", ""), Call::Mcp { arguments, .. } if arguments.is_object()));
}

#[test]
fn a_command_is_taken_word_for_word() {
    let arguments = r#"{"command":" rm -rf \"a b\"\n# 끝","purpose":"tidy","seconds":5.0}"#;
    let call = parse("run_command", arguments);
    let expected = CommandCall {
        command: " rm -rf \"a b\"\n# 끝".into(),
        purpose: "tidy".into(),
        seconds: Some(5),
    };
    assert_eq!(call, Call::Command(expected));
    assert_eq!(call.paths(), [""; 0], "what a command touches nobody knows");
}

proptest! {
    #[test]
    fn whatever_a_model_writes_is_a_call_or_an_error(
        place in 0..BUILT_IN.len(),
        arguments in r#"[\[\]{}",: a-z0-9\\\-.가]{0,60}"#,
        name in "[a-z_\u{0}가]{0,20}",
    ) {
        let known = &BUILT_IN[place].spec.name;
        for name in [known, &name, &format!("mcp__{name}")] {
            if let Err(error) = Call::parse(name, &arguments) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
