//! Calls and their results, brought together before a format writes them.
//!
//! Every format wants a result for each call, directly behind the reply that called, and ids that tell the calls of a
//! request apart. What a conversation holds may lack a result (the turn was stopped, or the program died), may have it
//! twice or without its call, which was folded away; and some servers number the calls of every reply anew.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Value, json};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::section::{Section, SectionKind};

/// What a model is told of a call whose result never came.
pub(crate) const INTERRUPTED: &str =
    "The call was interrupted before it had a result. Whether it has done anything is not known.";

/// What stands for a result that says nothing: not every server takes an empty one.
const NOTHING: &str = "(no output)";

/// The longest name of a tool that every format takes.
const LONGEST_NAME: usize = 64;

/// What ids of calls a server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ids {
    /// Whatever it gave out itself.
    Any,
    /// Letters, digits, `_` and `-`, at most so many.
    Word(usize),
    /// Nine letters and digits.
    Nine,
}

/// A call and its result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exchange<'a> {
    pub id: String,
    pub name: String,
    /// As the model wrote them.
    pub written: &'a str,
    /// Of the model that is asked.
    pub seal: Option<&'a str>,
    pub text: &'a str,
    pub is_error: bool,
}

/// What a section holds of calls and results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic<'a> {
    /// The calls that it makes, each with the result that came, wherever it stands.
    pub exchanges: Vec<Exchange<'a>>,
    /// Results whose call is not in the request.
    pub strays: Vec<&'a str>,
}

/// The traffic of each section.
pub(super) fn of(request: &ModelRequest, ids: Ids) -> Vec<Traffic<'_>> {
    let mut traffic: Vec<Traffic<'_>> = Vec::with_capacity(request.sections.len());
    let mut given = HashSet::new();
    // Calls without a result yet: the section and the place in it.
    let mut waiting: HashMap<&str, VecDeque<(usize, usize)>> = HashMap::new();
    for (at, section) in request.sections.iter().enumerate() {
        traffic.push(Traffic::default());
        // An id that a later reply uses again is a new call; within one reply it is called twice.
        let mut called = HashSet::new();
        for part in said(section) {
            match part {
                Part::ToolCall { id, name, arguments, seal } if section.role == Role::Assistant => {
                    let seal = seal.as_ref().filter(|seal| seal.model == request.model);
                    let same = waiting.entry(id).or_default();
                    if called.insert(id) {
                        same.clear();
                    }
                    same.push_back((at, traffic[at].exchanges.len()));
                    traffic[at].exchanges.push(Exchange {
                        id: ids.fit(id, &mut given),
                        name: name_of(name),
                        written: arguments,
                        seal: seal.map(|seal| seal.data.as_str()),
                        text: INTERRUPTED,
                        is_error: true,
                    });
                }
                Part::ToolResult { call_id, text, is_error, .. } if section.role == Role::Tool => {
                    let text = if text.trim().is_empty() { NOTHING } else { text };
                    match waiting.get_mut(call_id.as_str()).and_then(VecDeque::pop_front) {
                        Some((at, place)) => {
                            let call = &mut traffic[at].exchanges[place];
                            (call.text, call.is_error) = (text, *is_error);
                        }
                        None => traffic[at].strays.push(text),
                    }
                }
                _ => {}
            }
        }
    }
    traffic
}

fn said(section: &Section) -> &[Part] {
    match section.kind {
        SectionKind::Turn | SectionKind::Draft => &section.parts,
        _ => &[],
    }
}

impl Ids {
    /// The id as the server takes it, and not in use yet. The same calls in the same order get the same ids in every
    /// request, so that a cache finds its beginning again.
    fn fit(self, id: &str, given: &mut HashSet<String>) -> String {
        let most = match self {
            Self::Any => usize::MAX,
            Self::Word(most) => most,
            Self::Nine => 9,
        };
        let fits: String = match self {
            Self::Any => id.chars().filter(|c| !c.is_control()).collect(),
            Self::Word(_) => id.chars().map(|c| if is_of_a_word(c) { c } else { '_' }).collect(),
            Self::Nine => id.chars().filter(char::is_ascii_alphanumeric).collect(),
        };
        let fits = if fits.is_empty() { "call".to_owned() } else { fits };
        let mut uses = 1_usize;
        loop {
            let mark = match (self, uses) {
                (_, 1) => String::new(),
                (Self::Nine, _) => uses.to_string(),
                _ => format!("_{uses}"),
            };
            let mut fit: String = fits.chars().take(most.saturating_sub(mark.len())).collect();
            fit.push_str(&mark);
            while self == Self::Nine && fit.len() < most {
                fit.push('0');
            }
            if given.insert(fit.clone()) {
                return fit;
            }
            uses += 1;
        }
    }
}

fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The name of a tool as every format takes it. Those that are offered have such names; a model may call others.
fn name_of(name: &str) -> String {
    let word = |c| if is_of_a_word(c) { c } else { '_' };
    let name: String = name.chars().map(word).take(LONGEST_NAME).collect();
    // Gemini's begin with no digit.
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() || first == '_' => name,
        _ => format!("_{name}").chars().take(LONGEST_NAME).collect(),
    }
}

/// The arguments as the object that every format wants, as text and as JSON. Those that are none go as what they are: the
/// model sees what it wrote.
pub(super) fn object(written: &str) -> (String, Value) {
    let written = written.trim();
    match serde_json::from_str(written) {
        Ok(object @ Value::Object(_)) => (written.to_owned(), object),
        _ if written.is_empty() => ("{}".to_owned(), json!({})),
        _ => {
            let object = json!({ "unreadable": written });
            (object.to_string(), object)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(Ids::Any, &["functions.read:0", "functions.read:0", "a\nb", ""], &["functions.read:0", "functions.read:0_2", "ab", "call"])]
    #[case(Ids::Word(8), &["functions.read:0", "functions.list:1", "가", "가", "toolu_1"], &["function", "functi_2", "_", "__2", "toolu_1"])]
    #[case(Ids::Nine, &["call_0", "call_0", "a1b2c3d4e", "call_abcdefgh", "-"], &["call00000", "call02000", "a1b2c3d4e", "callabcde", "call20000"])]
    fn an_id_fits_its_server_and_is_given_once(
        #[case] ids: Ids,
        #[case] came: &[&str],
        #[case] given: &[&str],
    ) {
        let mut used = HashSet::new();
        let fitted: Vec<String> = came.iter().map(|id| ids.fit(id, &mut used)).collect();
        assert_eq!(fitted, given);
    }

    #[rstest]
    #[case("read_file", "read_file")]
    #[case("functions.read file", "functions_read_file")]
    #[case("9lives", "_9lives")]
    #[case("", "_")]
    fn a_name_that_no_tool_could_have_is_made_one(#[case] called: &str, #[case] name: &str) {
        assert_eq!(name_of(called), name);
        assert!(name_of(&called.repeat(99)).len() <= LONGEST_NAME);
    }

    #[test]
    fn arguments_are_an_object_whatever_was_written() {
        assert_eq!(object(" {\"b\": 1,\"a\":2} ").0, "{\"b\": 1,\"a\":2}");
        assert_eq!(object(""), ("{}".to_owned(), json!({})));
        for broken in ["{\"path\":", "[1]", "null", "read it"] {
            let (text, object) = object(broken);
            assert_eq!(object, json!({ "unreadable": broken }));
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), object);
        }
    }
}
