//! An entry in settings that are JSON, put in and taken out as text: every other byte stays, comments included.
//!
//! It is put first into its object. What is put in follows from what was there, so that what is taken out is exactly
//! that: text that would not be put in again in the same way was written by somebody else.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use siltstone_engine::client::SERVER;

use super::{line_end, spaced};

/// Spaces where nothing shows how the file is indented.
const INDENT: &str = "  ";

/// The entry of the server in the object `servers` of the settings.
pub(super) struct Json<'a> {
    pub(super) servers: &'a str,
    pub(super) entry: &'a [(&'static str, serde_json::Value)],
}

impl Json<'_> {
    /// Whether the settings say anything of the server. Fails where they are in no form that has a place for it.
    pub(super) fn says(&self, text: &str) -> Result<bool, String> {
        with_root(text, |root| {
            let Some(root) = root else { return Ok(false) };
            let Some(servers) = self.servers_in(root)? else { return Ok(false) };
            Ok(only(servers, SERVER)?.is_some())
        })
    }

    /// The settings with the entry; for those that have none.
    pub(super) fn with(&self, text: &str) -> Result<String, String> {
        let (at, entry) = with_root(text, |root| self.place(text, root))?;
        Ok([&text[..at], &entry, &text[at..]].concat())
    }

    /// The settings without the entry that [`with`](Self::with) puts in; `None` where it is another one.
    pub(super) fn without(&self, text: &str) -> Result<Option<String>, String> {
        for piece in self.pieces(text)? {
            let Some(at) = text.find(&piece) else { continue };
            let rest = [&text[..at], &text[at + piece.len()..]].concat();
            if self.with(&rest).as_deref() == Ok(text) {
                return Ok(Some(rest));
            }
        }
        Ok(None)
    }

    /// The settings of who has none.
    pub(super) fn alone(&self) -> String {
        format!("{{\n{INDENT}{}\n}}\n", self.servers_text("\n", INDENT))
    }

    /// Where the entry goes, and what of text. No two files become the same: what is empty gets the entry in one line,
    /// in another way wherever it is empty, because around that stands what anybody may have written.
    fn place(&self, text: &str, root: Option<&Object<'_>>) -> Result<(usize, String), String> {
        let line = line_end(text);
        let Some(root) = root else {
            return Ok((0, format!("{{ {} }}", self.servers_dense())));
        };
        let indent = indent_of(text, root);
        let servers = self.servers_in(root)?;
        let object = servers.unwrap_or(root);
        let piece = match servers {
            None if root.properties.is_empty() => self.servers_dense(),
            None if has_lines(text, root) => {
                format!("{line}{indent}{},", self.servers_text(line, &indent))
            }
            None => format!("{},", self.servers_dense()),
            Some(servers) if servers.properties.is_empty() => self.entry_spaced(),
            Some(servers) if has_lines(text, servers) => {
                let deeper = indent_of(text, servers);
                format!("{line}{deeper}{},", self.entry_text(line, &deeper, &indent))
            }
            Some(_) => format!("{},", self.entry_dense()),
        };
        Ok((object.range.start + 1, piece))
    }

    /// All texts that [`place`](Self::place) may have put in.
    fn pieces(&self, text: &str) -> Result<Vec<String>, String> {
        with_root(text, |root| {
            let Some(root) = root else { return Ok(Vec::new()) };
            let (line, indent) = (line_end(text), indent_of(text, root));
            let deeper = self.servers_in(root)?.map_or(indent.repeat(2), |it| indent_of(text, it));
            Ok(vec![
                format!("{{ {} }}", self.servers_dense()),
                format!("{},", self.servers_dense()),
                self.servers_dense(),
                format!("{line}{indent}{},", self.servers_text(line, &indent)),
                self.entry_spaced(),
                format!("{line}{deeper}{},", self.entry_text(line, &deeper, &indent)),
                format!("{},", self.entry_dense()),
            ])
        })
    }

    /// The object of the servers.
    fn servers_in<'o, 't>(&self, root: &'o Object<'t>) -> Result<Option<&'o Object<'t>>, String> {
        match only(root, self.servers)? {
            None => Ok(None),
            Some(prop) => match &prop.value {
                Value::Object(servers) => Ok(Some(servers)),
                _ => Err(format!("\"{}\" is no object", self.servers)),
            },
        }
    }

    /// The object of the servers with the entry alone; its lines begin with the indent, but for the first.
    fn servers_text(&self, line: &str, indent: &str) -> String {
        let deeper = indent.repeat(2);
        let entry = self.entry_text(line, &deeper, indent);
        format!("\"{}\": {{{line}{deeper}{entry}{line}{indent}}}", self.servers)
    }

    /// The entry on lines that begin with `indent`, but for the first, what is within it one `step` deeper.
    fn entry_text(&self, line: &str, indent: &str, step: &str) -> String {
        let fields = self
            .entry
            .iter()
            .map(|(name, value)| format!("{line}{indent}{step}\"{name}\": {}", spaced(value)));
        format!("\"{SERVER}\": {{{}{line}{indent}}}", fields.collect::<Vec<_>>().join(","))
    }

    /// The entry in one line, as people write it.
    fn entry_spaced(&self) -> String {
        let fields =
            self.entry.iter().map(|(name, value)| format!("\"{name}\": {}", spaced(value)));
        format!("\"{SERVER}\": {{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    /// The same without a space.
    fn entry_dense(&self) -> String {
        let fields = self.entry.iter().map(|(name, value)| format!("\"{name}\":{value}"));
        format!("\"{SERVER}\":{{{}}}", fields.collect::<Vec<_>>().join(","))
    }

    fn servers_dense(&self) -> String {
        format!("\"{}\":{{{}}}", self.servers, self.entry_dense())
    }
}

/// The settings' object; `None` where the file says nothing yet.
fn with_root<T>(
    text: &str,
    then: impl FnOnce(Option<&Object<'_>>) -> Result<T, String>,
) -> Result<T, String> {
    if text.trim().is_empty() {
        return then(None);
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    match parsed.map_err(|error| error.to_string())?.value {
        Some(Value::Object(root)) => then(Some(&root)),
        _ => Err("it is no JSON object".into()),
    }
}

/// The member of a name; one that is there twice means something else to every program.
fn only<'o, 't>(
    object: &'o Object<'t>,
    name: &str,
) -> Result<Option<&'o jsonc_parser::ast::ObjectProp<'t>>, String> {
    let mut named = object.properties.iter().filter(|prop| prop.name.as_str() == name);
    let first = named.next();
    match named.next() {
        Some(_) => Err(format!("\"{name}\" is there twice")),
        None => Ok(first),
    }
}

/// Whether an object's first member stands on a line of its own.
fn has_lines(text: &str, object: &Object<'_>) -> bool {
    let first = object.properties.first();
    first.is_some_and(|first| text[object.range.start..first.start()].contains('\n'))
}

/// What stands before an object's first member on its line.
fn indent_of(text: &str, object: &Object<'_>) -> String {
    let first = object.properties.first().filter(|_| has_lines(text, object));
    let above = first.map(|first| &text[..first.start()]);
    let before = above.map(|above| above.rsplit('\n').next().unwrap_or_default());
    let blank = before.filter(|it| !it.is_empty() && it.chars().all(|c| c == ' ' || c == '\t'));
    blank.unwrap_or(INDENT).to_owned()
}
