//! Approvals: whether a call may be carried out, must not, or waits for the person.
//!
//! A rule is bound to what it was given for: the tool as it describes itself (name and schema), the server's fingerprint,
//! and a pattern of paths or one exact command. Anything else asks again (`MCPoison`: an approval that was bound to a
//! name). A rule that denies beats every rule that allows. Nothing here knows of time: an answer that does not come is no
//! answer.

use globset::GlobBuilder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::mcp::McpServer;
use super::path::{is_inside, spelled};
use super::{Effect, ToolSpec};
use crate::ids::{ProjectId, RuleId};

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "RuleVerdict"))]
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
#[cfg_attr(feature = "ts", ts(rename = "RuleScope"))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scope {
    /// All of them.
    Tool,
    /// Those on certain paths. A rule that allows takes its pattern exactly, and all paths of the call have to match and
    /// to stay in the project. A rule that denies takes it as `.gitignore` does, with everything below what matches and
    /// at any depth where there is no slash; one path is enough, also that of a folder above.
    Paths {
        /// The pattern, such as `src/**`.
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
#[cfg_attr(feature = "ts", ts(rename = "ToolRule"))]
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
            Scope::Paths { pattern } if denies => {
                subject.paths.iter().any(|path| is_kept_out(path, pattern))
            }
            Scope::Paths { pattern } => {
                let Some(pattern) = matcher(&spelled(pattern)) else { return false };
                let fits = |path: &String| {
                    let path = spelled(path);
                    is_inside(&path) && pattern.is_match(&path)
                };
                !subject.paths.is_empty() && subject.paths.iter().all(fits)
            }
            Scope::Command { line } => subject.command == Some(line),
            Scope::Exactly { hash } => hash == subject.hash,
        }
    }
}

fn matcher(pattern: &str) -> Option<globset::GlobMatcher> {
    // A backslash is a character like others, so that an escaped path matches itself and nothing else.
    let mut builder = GlobBuilder::new(pattern);
    builder.literal_separator(true).backslash_escape(false);
    Some(builder.build().ok()?.compile_matcher())
}

/// Whether a pattern that denies keeps a call from a path. One that cannot be read keeps it from all.
fn is_kept_out(path: &str, pattern: &str) -> bool {
    let pattern = spelled(pattern);
    let anywhere = !pattern.contains('/');
    // What is below goes with it anyway.
    let pattern = pattern.trim_end_matches("/**").trim_start_matches('/');
    if matches!(pattern, "" | "*" | "**") {
        return true;
    }
    let pattern = if anywhere { format!("**/{pattern}") } else { pattern.to_owned() };
    let Some(matcher) = matcher(&pattern) else { return true };
    let path = spelled(path);
    let steps: Vec<&str> = path.split('/').filter(|step| !matches!(*step, "" | "..")).collect();
    // Where a path begins that leads out and comes back in is not known here: it may begin with any of its steps.
    let begins = if path.is_empty() || is_inside(&path) { 1 } else { steps.len() };
    let mut parts = (0..begins).flat_map(|from| (from..steps.len()).map(move |to| from..=to));
    is_above(&path, &pattern) || parts.any(|part| matcher.is_match(steps[part].join("/")))
}

/// Whether a path is the project, or a folder that a pattern goes on from.
fn is_above(path: &str, pattern: &str) -> bool {
    let rest = pattern.strip_prefix(path);
    path.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Whether this can be a pattern of paths.
pub fn is_pattern(pattern: &str) -> bool {
    !pattern.trim().is_empty() && matcher(pattern).is_some()
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

/// What a remembered answer is bound to: the tool as it describes itself and, of a server's, how the server is reached.
pub fn fingerprint(spec: &ToolSpec, server: Option<&McpServer>) -> String {
    let reached = server.map(McpServer::fingerprint).unwrap_or_default();
    hash_of(&[&spec.name, &spec.description, &spec.schema.to_string(), &reached])
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
