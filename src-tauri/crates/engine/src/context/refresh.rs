//! When the persistent store is renewed, as a decision: a trigger comes in, what to load goes out.
//!
//! The caller loads and reports back. Rules are loaded when the root really changed, when they are forced or changed on
//! disk, and once an hour while a project is open; a load that another one has overtaken changes nothing.

use indexmap::IndexMap;
use jiff::{SignedDuration, Timestamp};

use super::key;

/// Hours after which the rules of an open project are read again.
pub const REFRESH_HOURS: i64 = 1;

/// Why the persistent store may be out of date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefreshTrigger {
    /// The app started.
    Started,
    /// A request comes from this root; `None` when it names none.
    ProjectRoot(Option<String>),
    /// Someone asked for it.
    Forced,
    /// A rule file beneath this root was made, changed or deleted.
    RulesChanged {
        /// The root the file belongs to.
        project_root: String,
    },
    /// Tools or providers came, went or changed.
    LayersChanged,
    /// Time went by; see [`AppContext::refresh_due_at`](super::AppContext::refresh_due_at).
    TimePassed,
}

/// What is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadSource {
    /// The rules that hold in every project.
    DefaultSystemRules,
    /// The rules of the project at this root.
    ProjectRules {
        /// The root, absolute.
        root: String,
    },
    /// The summary of tools and providers.
    LayerSummary,
}

/// One thing to read, to be answered with `loaded` or `failed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// What.
    pub source: LoadSource,
    number: u64,
}

impl LoadSource {
    /// The key it is kept under.
    pub fn key(&self) -> &'static str {
        match self {
            Self::DefaultSystemRules => key::DEFAULT_SYSTEM_RULES,
            Self::ProjectRules { .. } => key::PROJECT_RULES,
            Self::LayerSummary => key::LAYER_SUMMARY,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Reading {
    Running,
    Ended { at: Timestamp, well: bool },
}

/// What was asked for and how far it came.
#[derive(Clone, Debug, Default)]
pub(super) struct Refresh {
    /// Whether `root` is an open project; rules grow old only there.
    pub project_open: bool,
    rules: Option<(String, Reading)>,
    /// The newest load of each key; older ones are overtaken.
    newest: IndexMap<&'static str, u64>,
    count: u64,
}

impl Refresh {
    /// Decides what this trigger, with its root already resolved, makes necessary.
    pub fn step(&mut self, trigger: &RefreshTrigger, now: Timestamp) -> Vec<Load> {
        let rules_of = |root: &String| LoadSource::ProjectRules { root: root.clone() };
        let root = self.rules.as_ref().map(|(root, _)| root);
        let rules = root.map(rules_of);
        let sources: Vec<LoadSource> = match trigger {
            RefreshTrigger::Started => {
                vec![LoadSource::DefaultSystemRules, LoadSource::LayerSummary]
            }
            RefreshTrigger::ProjectRoot(root) => {
                root.iter().filter(|root| !self.has_rules_of(root)).map(rules_of).collect()
            }
            RefreshTrigger::Forced => [LoadSource::DefaultSystemRules, LoadSource::LayerSummary]
                .into_iter()
                .chain(rules)
                .collect(),
            RefreshTrigger::RulesChanged { project_root } if root == Some(project_root) => {
                rules.into_iter().collect()
            }
            RefreshTrigger::RulesChanged { .. } => Vec::new(),
            RefreshTrigger::LayersChanged => vec![LoadSource::LayerSummary],
            RefreshTrigger::TimePassed if self.is_due(now) => rules.into_iter().collect(),
            RefreshTrigger::TimePassed => Vec::new(),
        };
        sources.into_iter().map(|source| self.load(source)).collect()
    }

    /// Notes how a load ended; `false` when a newer one of the same key is on its way or was there first.
    pub fn end(&mut self, load: &Load, well: bool, now: Timestamp) -> bool {
        if self.newest.get(load.source.key()) != Some(&load.number) {
            return false;
        }
        if let (LoadSource::ProjectRules { .. }, Some((_, reading))) =
            (&load.source, &mut self.rules)
        {
            *reading = Reading::Ended { at: now, well };
        }
        true
    }

    /// When the rules grow old.
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.rules {
            Some((_, Reading::Ended { at, .. })) if self.project_open => {
                at.checked_add(SignedDuration::from_hours(REFRESH_HOURS)).ok()
            }
            _ => None,
        }
    }

    /// Also when the clock was set back behind the last reading: how old the rules are is unknown then.
    fn is_due(&self, now: Timestamp) -> bool {
        let age = SignedDuration::from_hours(REFRESH_HOURS);
        self.due_at().is_some_and(|due| now >= due || now.duration_until(due) > age)
    }

    fn has_rules_of(&self, root: &str) -> bool {
        self.rules.as_ref().is_some_and(|(known, reading)| {
            known == root && !matches!(reading, Reading::Ended { well: false, .. })
        })
    }

    fn load(&mut self, source: LoadSource) -> Load {
        self.count += 1;
        self.newest.insert(source.key(), self.count);
        if let LoadSource::ProjectRules { root } = &source {
            self.rules = Some((root.clone(), Reading::Running));
        }
        Load { source, number: self.count }
    }
}
