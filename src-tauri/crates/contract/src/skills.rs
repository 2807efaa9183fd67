//! Skills as hosts see them: what there is, what it costs, what is chosen.

use serde::{Deserialize, Serialize};
use siltstone_engine::ids::{ConversationId, MemoryLineId, ProjectId};
use siltstone_engine::memory::Finding;
use siltstone_engine::skill::SkillFault;
use ts_rs::TS;

/// Where skills are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillsAt {
    /// The project; `None` for the person's own alone. That of the conversation counts where one is named.
    pub project_id: Option<ProjectId>,
    /// The conversation whose choice is told.
    pub conversation_id: Option<ConversationId>,
}

/// Skills at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillPanel {
    /// Those of the project, then the person's own; the same text once.
    pub skills: Vec<SkillItem>,
    /// The project is not trusted: nothing in it was read.
    pub untrusted: bool,
}

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillItem {
    /// Its folder: relative to the project's root, or `~/` and its path in the home.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What it is for, by its own word; empty where it does not say.
    pub description: String,
    /// What it says that it needs.
    pub needs: Option<String>,
    /// Tokens of its instructions, estimated.
    pub tokens: u64,
    /// Tokens that a model takes to be told of it.
    pub told_tokens: u64,
    /// BLAKE3 of its file; empty where it cannot be used.
    pub hash: String,
    /// Its other files, as far as they are listed.
    pub files: Vec<String>,
    /// Other folders that hold the same.
    pub also_in: Vec<String>,
    /// Whether models may be told of it.
    pub offered: bool,
    /// Whether the conversation has it.
    pub chosen: Option<SkillChosen>,
    /// Why it cannot be used.
    pub fault: Option<SkillFault>,
}

/// A skill that a conversation has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillChosen {
    /// The line of memory that keeps it: removing that takes it away, and can be taken back.
    pub line_id: MemoryLineId,
    /// Whether the file says something else by now; what was chosen goes on being sent.
    pub changed: bool,
}

/// A skill at a place.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillRef {
    /// The project; `None` for the person's own alone.
    pub project_id: Option<ProjectId>,
    /// Its folder.
    pub id: String,
}

/// What a skill says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillText {
    /// Its instructions, as they would go.
    pub text: String,
    /// BLAKE3 of its file.
    pub hash: String,
    /// Its other files.
    pub files: Vec<String>,
    /// What in it reads like a word to the model that somebody else put there.
    pub findings: Vec<Finding>,
}

/// A skill to be kept for a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ChooseSkill {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The skill's folder.
    pub id: String,
    /// As it was shown.
    pub hash: String,
}

/// Whether models may be told of a skill.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct OfferSkill {
    /// The project at which it was looked at.
    pub project_id: Option<ProjectId>,
    /// The skill's folder.
    pub id: String,
    /// As it was shown.
    pub hash: String,
    /// Whether they may.
    pub on: bool,
}
