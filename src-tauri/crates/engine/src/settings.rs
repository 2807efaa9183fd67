//! The person's settings: typed, with a default for each, every change applied at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::checkpoint::CheckpointSettings;
use crate::context::TaskKind;
use crate::ids::ProjectId;
use crate::meaning::MeaningSettings;
use crate::memory::MemorySettings;
use crate::price::Price;
use crate::privacy::PrivacySettings;
use crate::provider::OFFLINE;
use crate::summary::SummarySettings;
use crate::tool::ToolSettings;

/// The language of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// As the system.
    #[default]
    System,
    /// Korean.
    Ko,
    /// English.
    En,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Whether new conversations are told where the work in their project stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CarryOver {
    /// The first one of a sitting, where that is seen before anything is sent; the others where it is wanted.
    #[default]
    Offer,
    /// Every one, where that is not taken out.
    Always,
    /// None.
    Never,
}

/// How other computers are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Proxy {
    /// As the system and its environment say.
    #[default]
    System,
    /// Directly.
    Direct,
    /// Through this one.
    Address {
        /// For example `http://proxy.example:3128` or `socks5h://127.0.0.1:1080`.
        url: String,
    },
}

/// The way to other computers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Directly, or through whom.
    pub proxy: Proxy,
    /// Path of a PEM file with certificates to trust beside the system's; empty for none.
    pub extra_ca: String,
}

/// The fewest tokens that a model may be said to hold: a question and a word of answer.
pub const MIN_WINDOW: u64 = 1_024;

/// The most.
pub const MAX_WINDOW: u64 = 100_000_000;

/// All settings. A field that is missing in the stored form takes its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Settings {
    /// Language of the window.
    pub language: Language,
    /// Light or dark.
    pub theme: Theme,
    /// Text size in percent, 50 to 200.
    pub zoom: u16,
    /// Provider of conversations that chose none.
    pub default_provider: String,
    /// Model of conversations that chose none.
    pub default_model: String,
    /// Ask no address but this computer's own.
    pub this_computer_only: bool,
    /// How other computers are reached.
    pub proxy: Proxy,
    /// Path of a PEM file with certificates to trust beside the system's; empty for none.
    pub extra_ca: String,
    /// Prices that differ from the built-in ones, by model id; a `*` at the end stands for any ending.
    pub prices: BTreeMap<String, Price>,
    /// How many tokens models hold, by model id, where the person says so.
    pub windows: BTreeMap<String, u64>,
    /// Most to spend in a calendar month before asking, in millionths of a US dollar.
    pub monthly_limit: Option<u64>,
    /// A notification when a long answer ends while the window is in the background.
    pub notify: bool,
    /// Key bindings that differ from the built-in ones: action id to chord, an empty chord for none.
    pub keys: BTreeMap<String, String>,
    /// Whether new conversations are told where the work stopped.
    pub carry_over: CarryOver,
    /// Projects for which the person said whether what was said in one conversation may go in another.
    pub recall_others: BTreeMap<ProjectId, bool>,
    /// Projects in which passages of kept sessions of agents that worked there may go.
    pub recall_sessions: BTreeSet<ProjectId>,
    /// How the earlier part of conversations is told to the model.
    pub summary: SummarySettings,
    /// How memory is found.
    pub memory: MemorySettings,
    /// Who makes vectors of messages.
    pub meaning: MeaningSettings,
    /// Which checkpoints are taken and kept.
    pub checkpoints: CheckpointSettings,
    /// What never leaves.
    pub privacy: PrivacySettings,
    /// What models may call, and how far a turn may go.
    pub tools: ToolSettings,
    /// Models for work that is no answer, by what it is; what is missing asks the conversation's model.
    pub tasks: BTreeMap<TaskKind, TaskModel>,
}

/// A model that is asked for one kind of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TaskModel {
    /// The provider's name.
    pub provider: String,
    /// The model's id.
    pub model: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: Language::System,
            theme: Theme::System,
            zoom: 100,
            default_provider: OFFLINE.to_owned(),
            default_model: OFFLINE.to_owned(),
            this_computer_only: false,
            proxy: Proxy::System,
            extra_ca: String::new(),
            prices: BTreeMap::new(),
            windows: BTreeMap::new(),
            monthly_limit: None,
            notify: true,
            keys: BTreeMap::new(),
            carry_over: CarryOver::Offer,
            recall_others: BTreeMap::new(),
            recall_sessions: BTreeSet::new(),
            summary: SummarySettings::default(),
            memory: MemorySettings::default(),
            meaning: MeaningSettings::default(),
            checkpoints: CheckpointSettings::default(),
            privacy: PrivacySettings::default(),
            tools: ToolSettings::default(),
            tasks: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// The way to other computers.
    pub fn network(&self) -> Network {
        Network { proxy: self.proxy.clone(), extra_ca: self.extra_ca.clone() }
    }

    /// The same with every number inside its limits.
    pub fn within_limits(mut self) -> Self {
        self.zoom = self.zoom.clamp(50, 200);
        for window in self.windows.values_mut() {
            *window = (*window).clamp(MIN_WINDOW, MAX_WINDOW);
        }
        self.summary = self.summary.within_limits();
        self.tools = self.tools.within_limits();
        self
    }
}
