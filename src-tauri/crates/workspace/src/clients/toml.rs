//! An entry in settings that are TOML: a table at the end, which changes nothing that stands before it.

use siltstone_engine::client::SERVER;
use toml_edit::DocumentMut;

use super::{line_end, spaced};

/// The table of the server in the table `servers` of the settings.
pub(super) struct Toml<'a> {
    pub(super) servers: &'a str,
    pub(super) entry: &'a [(&'static str, serde_json::Value)],
}

impl Toml<'_> {
    /// Whether the settings say anything of the server. Fails where they are in no form that has a place for it.
    pub(super) fn says(&self, text: &str) -> Result<bool, String> {
        let settings = text.parse::<DocumentMut>().map_err(|error| error.to_string())?;
        let servers = settings.get(self.servers).and_then(|it| it.as_table_like());
        Ok(servers.is_some_and(|it| it.contains_key(SERVER)))
    }

    /// The settings with the table, which has a line of its own above it; for those that have none.
    pub(super) fn with(&self, text: &str) -> Result<String, String> {
        let line = line_end(text);
        let whole = format!("{text}{line}{}", self.table(line));
        match self.says(&whole)? {
            true => Ok(whole),
            false => Err(format!("\"{}\" is no table", self.servers)),
        }
    }

    /// The settings without the table that [`with`](Self::with) puts in, wherever it stands by now; `None` where it is
    /// another one.
    pub(super) fn without(&self, text: &str) -> Result<Option<String>, String> {
        let line = line_end(text);
        let piece = format!("{line}{}", self.table(line));
        let Some(at) = text.find(&piece) else { return Ok(None) };
        let rest = [&text[..at], &text[at + piece.len()..]].concat();
        Ok(Some(rest).filter(|rest| self.says(rest) == Ok(false)))
    }

    /// The settings of who has none.
    pub(super) fn alone(&self) -> String {
        self.table("\n")
    }

    fn table(&self, line: &str) -> String {
        let fields = self.entry.iter();
        let fields = fields.map(|(name, value)| format!("{name} = {}{line}", spaced(value)));
        format!("[{}.{SERVER}]{line}{}", self.servers, fields.collect::<String>())
    }
}
