//! The arguments of a call: read so that they mean one thing to everybody, and written as a person is asked about them.
//!
//! What is asked about is not what the model wrote but what was read of it, because that is what runs: a number keeps the
//! digits with which a server gets it. A name that is given twice would be one value to one reader and another to the
//! next, so it is refused.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The value that a text of JSON stands for; `Err` says what is wrong with it.
pub(super) fn read(text: &str) -> Result<Value, String> {
    // A model that has nothing to say may write nothing.
    let text = if text.trim().is_empty() { "{}" } else { text };
    let mut from = serde_json::Deserializer::from_str(text);
    let value = Plain.deserialize(&mut from).map_err(|error| error.to_string())?;
    from.end().map_err(|error| error.to_string())?;
    Ok(value)
}

/// The arguments as they are carried out, over several lines; as they were written where they cannot be read.
pub fn shown(arguments: &str) -> String {
    let value = read(arguments).ok();
    let lines = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    lines.unwrap_or_else(|| arguments.to_owned())
}

/// A value in which no object says the same name twice.
struct Plain;

impl<'de> DeserializeSeed<'de> for Plain {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Plain {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::custom("a number is too large"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = from.next_element_seed(Plain)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = from.next_key::<String>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format_args!("{name:?} is given twice")));
            }
            fields.insert(name, from.next_value_seed(Plain)?);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::beyond_what_a_double_holds("1234567890123456789", "1234567890123456789")]
    #[case::negative("-9223372036854775808", "-9223372036854775808")]
    #[case::largest("18446744073709551615", "18446744073709551615")]
    // Larger whole numbers reach a server as what a double holds of them, and are shown so.
    #[case::larger("18446744073709551616", "1.8446744073709552e+19")]
    #[case::fraction("0.1000", "0.1")]
    #[case::escaped(r#""\u202e""#, "\"\u{202e}\"")]
    #[case::nothing("null", "null")]
    fn what_is_shown_is_what_was_read(#[case] written: &str, #[case] expected: &str) {
        let written = format!("{{\"a\": {written}}}");
        assert_eq!(shown(&written), format!("{{\n  \"a\": {expected}\n}}"));
        assert_eq!(read(&shown(&written)), read(&written));
    }

    #[test]
    fn a_name_that_is_given_twice_is_refused_however_deep() {
        for twice in [
            r#"{"path": "a", "path": "b"}"#,
            r#"{"all": [{"to": {"id": 1, "id": 1}}]}"#,
            r#"{"a": 1, "\u0061": 2}"#,
        ] {
            let said = read(twice).unwrap_err();
            assert!(said.contains("is given twice"), "{said}");
        }
        assert!(read(r#"{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}"#).is_ok());
    }

    #[test]
    fn what_is_no_json_is_shown_as_it_was_written() {
        assert_eq!(shown("{\"a\": 1} and more"), "{\"a\": 1} and more");
        assert_eq!(shown(" "), "{}");
    }
}
