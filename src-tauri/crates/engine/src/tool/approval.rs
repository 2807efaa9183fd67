//! Approvals: whether a call may be carried out, must not, or waits for the person.
//!
//! A rule is bound to what it was given for: the tool as it describes itself (name and schema), the server's fingerprint,
//! and a pattern of paths or one exact command. Anything else asks again (`MCPoison`: an approval that was bound to a
//! name). A rule that denies beats every rule that allows. Nothing here knows of time: an answer that does not come is no
//! answer.

use globset::GlobBuilder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Effect;
use crate::ids::{ProjectId, RuleId};

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Carry it out without asking.
    Allow,
    /// Never carry it out.
    Deny,
}

/// What of a tool's calls a rule is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scope {
    /// All of them.
    Tool,
    /// Those whose paths all match, as in `.gitignore`: `src/**`.
    Paths {
        /// The pattern.
        pattern: String,
    },
    /// This command and no other, byte for byte.
    Command {
        /// The line.
        line: String,
    },
    /// These arguments and no others.
    Exactly {
        /// [`Subject::hash`].
        hash: String,
    },
}

/// A remembered answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// The project it holds in; `None` for all.
    pub project_id: Option<ProjectId>,
    /// The tool's name.
    pub tool: String,
    /// The fingerprint of the tool it was given for.
    pub fingerprint: String,
    /// Which calls.
    pub scope: Scope,
    /// What it says.
    pub verdict: Verdict,
    /// When the person said so.
    pub created_at: Timestamp,
}

/// A call, as far as rules look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Hash of its description, its schema and, for a server's tool, of how the server is reached.
    pub fingerprint: &'a str,
    /// What it does.
    pub effect: Effect,
    /// Every path it touches, relative to the root.
    pub paths: &'a [String],
    /// The command it runs.
    pub command: Option<&'a str>,
    /// Hash of tool, fingerprint and arguments.
    pub hash: &'a str,
}

/// What is to be done with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Carry it out; because of this rule, or because it only looks or proposes.
    Allow(Option<RuleId>),
    /// Refuse it, because of this rule.
    Deny(RuleId),
    /// Ask the person.
    Ask,
}

/// What rules say of a call.
pub fn decide(rules: &[Rule], subject: &Subject<'_>) -> Decision {
    let of = |verdict| rules.iter().find(|rule| rule.verdict == verdict && rule.holds(subject));
    if let Some(rule) = of(Verdict::Deny) {
        return Decision::Deny(rule.id);
    }
    if let Some(rule) = of(Verdict::Allow) {
        return Decision::Allow(Some(rule.id));
    }
    match subject.effect {
        Effect::Reads | Effect::Proposes => Decision::Allow(None),
        Effect::Changes | Effect::Runs => Decision::Ask,
    }
}

impl Rule {
    /// Whether it is about this call. A denial holds whatever the tool says of itself by now; it holds for a call as soon
    /// as one of its paths matches.
    fn holds(&self, subject: &Subject<'_>) -> bool {
        let denies = self.verdict == Verdict::Deny;
        if self.tool != subject.tool || !(denies || self.fingerprint == subject.fingerprint) {
            return false;
        }
        match &self.scope {
            Scope::Tool => true,
            Scope::Paths { pattern } => {
                let Some(pattern) = matcher(pattern) else { return denies };
                let mut paths = subject.paths.iter();
                if denies {
                    paths.any(|path| pattern.is_match(path))
                } else {
                    !subject.paths.is_empty() && paths.all(|path| pattern.is_match(path))
                }
            }
            Scope::Command { line } => subject.command == Some(line),
            Scope::Exactly { hash } => hash == subject.hash,
        }
    }
}

fn matcher(pattern: &str) -> Option<globset::GlobMatcher> {
    Some(GlobBuilder::new(pattern).literal_separator(true).build().ok()?.compile_matcher())
}

/// Patterns that the person could mean with "always for this": the file, its folder, its kind in the folder.
pub fn patterns(path: &str) -> Vec<String> {
    let escaped = globset::escape(path);
    let Some((folder, name)) = path.rsplit_once('/') else { return vec![escaped] };
    let folder = globset::escape(folder);
    let kind = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, kind)| kind);
    let kind = kind.map(|kind| format!("{folder}/*.{}", globset::escape(kind)));
    [Some(escaped), kind, Some(format!("{folder}/**"))].into_iter().flatten().collect()
}

/// Hash of what an approval is given for, over parts that cannot run into each other.
pub fn hash_of(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
