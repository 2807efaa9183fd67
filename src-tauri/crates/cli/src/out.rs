//! Everything that is printed: answers to stdout, words for the person to stderr.
//!
//! A reader that closes the pipe ends the program quietly. On a terminal, control characters of messages, titles and
//! file names are left out, so that nothing a model or a folder says can steer the terminal.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use siltstone_contract::{Code, Failure};

use crate::words::{self, Lang};

/// Exit code for a wrong call.
pub const WRONG_USAGE: u8 = 2;

/// Why a command ended before its end.
#[derive(Debug)]
pub enum Stop {
    /// The app refused.
    Failure(Failure),
    /// The call itself is wrong.
    Usage(String),
    /// A value in the call is none that may be there; the hint says which may.
    Value { message: String, hint: String },
    /// The reader closed the pipe.
    PipeClosed,
    /// The person stopped the reply, or what was found is no success; everything was said already.
    Interrupted,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Stop {
    /// The system said no.
    pub fn io(error: &io::Error) -> Self {
        Self::of_system(error, error.to_string())
    }

    /// The system said no about a file.
    pub fn file(path: &Path, error: &io::Error) -> Self {
        Self::of_system(error, format!("{}: {error}", path.display()))
    }

    fn of_system(error: &io::Error, message: String) -> Self {
        let code = match error.kind() {
            ErrorKind::NotFound => Code::NotFound,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::DiskFull,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Code::ReadOnly,
            _ => Code::Io,
        };
        Self::Failure(Failure::new(code, message))
    }
}

#[derive(Serialize)]
struct ErrorLine<'a> {
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: serde_json::Value,
    message: &'a str,
    hint: &'a str,
}

/// Where a command's words go.
#[derive(Clone, Debug)]
pub struct Out {
    /// The language of words for the person.
    pub lang: Lang,
    /// Whether stdout is for programs.
    pub json: bool,
    quiet: bool,
    on_terminal: bool,
}

impl Out {
    pub fn new(lang: Lang, json: bool, quiet: bool) -> Self {
        let on_terminal = io::stdout().is_terminal();
        Self { lang, json, quiet, on_terminal }
    }

    /// One JSON value on a line of its own.
    pub fn value(&self, value: &impl Serialize) -> Result<(), Stop> {
        let mut line = json(value)
            .map_err(|error| Stop::Failure(Failure::new(Code::Internal, error.to_string())))?;
        line.push('\n');
        put(&line)
    }

    /// A line for the person who reads stdout.
    pub fn line(&self, line: &str) -> Result<(), Stop> {
        self.text(line)?;
        put("\n")
    }

    /// Text as it is, at once.
    pub fn text(&self, text: &str) -> Result<(), Stop> {
        if self.on_terminal { put(&harmless(text)) } else { put(text) }
    }

    /// Progress and side remarks.
    pub fn note(&self, note: &str) {
        if !self.quiet {
            tell(note);
        }
    }

    /// Says of a list that nothing is in it.
    pub fn empty<T>(&self, list: &[T], en: &str, ko: &str) {
        if list.is_empty() {
            self.note(self.lang.pick(en, ko));
        }
    }

    /// The last word, and the exit code that goes with it.
    pub fn stopped(&self, stop: Stop) -> ExitCode {
        match stop {
            Stop::PipeClosed => ExitCode::SUCCESS,
            Stop::Interrupted => ExitCode::FAILURE,
            Stop::Usage(message) => {
                let hint = self.lang.pick("Run it with --help.", "--help로 쓰는 법을 보세요.");
                self.error(&"wrong_usage".into(), message.trim(), hint, message.trim());
                ExitCode::from(WRONG_USAGE)
            }
            Stop::Value { message, hint } => {
                self.error(&"wrong_usage".into(), &message, &hint, &message);
                ExitCode::from(WRONG_USAGE)
            }
            Stop::Failure(failure) => {
                let code = serde_json::to_value(failure.code).unwrap_or_default();
                let (words, hint) = words::of_failure(self.lang, &failure);
                self.error(&code, &failure.message, &hint, &words);
                ExitCode::FAILURE
            }
        }
    }

    /// With `--json` the same object goes to stdout, for the program, and to stderr, for whoever watches it.
    fn error(&self, code: &serde_json::Value, message: &str, hint: &str, words: &str) {
        if self.json {
            let line = ErrorLine { error: Error { code: code.clone(), message, hint } };
            // Nobody may read stdout any more; stderr still says it.
            let _ = self.value(&line);
            tell(&json(&line).unwrap_or_default());
        } else {
            tell(&format!("silt: {words}\n      {hint}"));
        }
    }
}

/// JSON that steers no terminal either: what serde leaves as it is of control characters (U+007F to U+009F) is escaped,
/// which says the same.
fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    let escaped = |c: char| match c.is_control() {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    Ok(match text.contains(char::is_control) {
        true => text.chars().map(escaped).collect(),
        false => text,
    })
}

fn put(text: &str) -> Result<(), Stop> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| {
        match error.kind() {
            ErrorKind::BrokenPipe => Stop::PipeClosed,
            _ => Stop::io(&error),
        }
    })
}

fn tell(line: &str) {
    // There is nowhere left to complain to when stderr is closed.
    let _ = writeln!(io::stderr().lock(), "{}", harmless(line));
}

fn harmless(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_shown_steers_the_terminal() {
        let hostile = "a\u{1b}]52;c;ZXZpbA==\u{7}b\u{1b}[2Jc\rd\u{9b}31m\n\t한글";
        assert_eq!(harmless(hostile), "a]52;c;ZXZpbA==b[2Jcd31m\n\t한글");
        let line = json(&hostile).unwrap();
        assert!(!line.contains(char::is_control), "{line}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
    }
}
