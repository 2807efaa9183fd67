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
