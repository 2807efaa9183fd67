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
