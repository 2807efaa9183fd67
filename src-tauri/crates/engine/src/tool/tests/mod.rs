//! Calls and what is decided of them, over what models, servers and files may write.

mod approvals;
mod calls;
mod mutations;
mod outputs;
mod paths;

use super::specs::BuiltIn;
use super::*;

#[test]
fn every_built_in_tool_is_read_back_from_its_own_schema() {
    for tool in BUILT_IN.iter() {
        let mut arguments = serde_json::Map::new();
        for (name, property) in tool.spec.schema["properties"].as_object().unwrap() {
            let value = match property["type"].as_str() {
                Some("string") if name == "change" => Value::from("add_decision"),
                Some("string") => Value::from("a"),
                Some("integer") => Value::from(2),
                Some("boolean") => Value::from(true),
                _ => serde_json::json!(["a"]),
            };
            arguments.insert(name.clone(), value);
        }
        let arguments = Value::Object(arguments).to_string();
        let call = Call::parse(&tool.spec.name, &arguments).unwrap();
        assert_eq!(call.effect(), tool.effect, "{}", tool.spec.name);
    }
}

#[test]
fn every_wire_format_takes_the_built_in_tools() {
    let mut names = std::collections::BTreeSet::new();
    for BuiltIn { spec, effect, needs_project } in BUILT_IN.iter() {
        assert!(names.insert(&spec.name), "{} is there twice", spec.name);
        assert!(spec.name.len() <= 64 && !spec.name.contains("__"));
        assert!(spec.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", spec.name);
        assert!(spec.description.ends_with('.'));
        let properties = spec.schema["properties"].as_object().unwrap();
        for required in spec.schema["required"].as_array().unwrap() {
            assert!(properties.contains_key(required.as_str().unwrap()), "{}", spec.name);
        }
        for (name, property) in properties {
            assert!(property["description"].is_string() || property["enum"].is_array(), "{name}");
        }
        assert!(*needs_project || !effect.is_destructive(), "{} needs a folder", spec.name);
        assert_eq!(built_in(&spec.name).unwrap().effect, *effect);
    }
    assert!(built_in("mcp__a__b").is_none());
}

#[rstest::rstest]
#[case::all_of_a_tool("read_file", "read_file", "docs/a.md", true)]
#[case::below_a_folder("read_file docs/*", "read_file", "docs/deep/a.md", true)]
#[case::elsewhere("read_file docs/*", "read_file", "src/docs/a.md", false)]
#[case::another_tool("read_file", "read_files", "a", false)]
#[case::tools_of_a_server("mcp__db__* *orders*", "mcp__db__query", "{\"table\":\"orders\"}", true)]
#[case::a_whole_name("run_command make test", "run_command", "make test --all", false)]
#[case::twice_the_same("x a*a", "x", "a", false)]
#[case::nothing("", "read_file", "a", false)]
fn a_rule_keeps_what_is_of_its_form(
    #[case] rule: &str,
    #[case] tool: &str,
    #[case] about: &str,
    #[case] kept: bool,
) {
    let settings = ToolSettings { keep: vec![rule.to_owned()], ..Default::default() };
    assert_eq!(settings.keeps(tool, about), kept);
    assert!(!ToolSettings::default().keeps(tool, about), "off until somebody says so");
}
