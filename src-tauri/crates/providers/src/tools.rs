//! The tools of a request as the formats take them.

use serde_json::{Map, Value, json};
use siltstone_engine::tool::ToolSpec;

/// What a schema may say of itself or of the object as a whole, which one server or another refuses.
const REFUSED: [&str; 11] =
    ["$schema", "$id", "$comment", "oneOf", "anyOf", "allOf", "not", "enum", "if", "then", "else"];

/// The schema of a tool's arguments: an object whose properties are listed, if only to say that there are none. What a
/// server of tools wrote into it besides stays as it is.
pub(crate) fn parameters(tool: &ToolSpec) -> Value {
    let mut schema = match &tool.schema {
        Value::Object(schema) => schema.clone(),
        _ => Map::new(),
    };
    for word in REFUSED {
        schema.remove(word);
    }
    schema.insert("type".to_owned(), json!("object"));
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".to_owned(), json!({}));
    }
    if !schema.get("required").is_none_or(Value::is_array) {
        schema.remove("required");
    }
    Value::Object(schema)
}

/// As OpenAI and those after it want them.
pub(crate) fn functions(tools: &[ToolSpec]) -> Vec<Value> {
    let function = |tool: &ToolSpec| {
        let ToolSpec { name, description, .. } = tool;
        let function =
            json!({"name": name, "description": description, "parameters": parameters(tool)});
        json!({"type": "function", "function": function})
    };
    tools.iter().map(function).collect()
}

/// A result as the formats tell it that have no mark for one that failed.
pub(crate) fn told(text: String, is_error: bool) -> String {
    if is_error { format!("Error: {text}") } else { text }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use siltstone_engine::tool::BUILT_IN;

    use super::*;

    #[rstest]
    #[case(json!({}), json!({"type": "object", "properties": {}}))]
    #[case(json!(true), json!({"type": "object", "properties": {}}))]
    #[case(json!({"properties": null, "required": null}), json!({"type": "object", "properties": {}}))]
    #[case(
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": ["object"], "anyOf": [{"required": ["a"]}],
            "properties": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/b"}]}}, "$defs": {"b": {"type": "null"}}}),
        json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/b"}]}},
            "$defs": {"b": {"type": "null"}}}),
    )]
    fn a_schema_becomes_an_object_that_every_server_takes(
        #[case] schema: Value,
        #[case] sent: Value,
    ) {
        let tool = ToolSpec { name: "t".into(), description: String::new(), schema };
        assert_eq!(parameters(&tool), sent);
    }

    #[test]
    fn our_own_tools_go_as_they_are() {
        for tool in BUILT_IN.iter() {
            assert_eq!(parameters(&tool.spec), tool.spec.schema, "{}", tool.spec.name);
        }
    }
}
