//! Skills (`engine::skill`): listed with what they cost, chosen for a conversation, allowed to be told of.
//!
//! One that is chosen is kept for the conversation as it was shown, and goes with every request as a section of its own until
//! it is taken away; when its file says something else by now, that is shown, and what was chosen goes on being sent. One
//! that models may be told of is offered by name and description in a tool (`engine::tool::SKILLS`), as long as its file is what the person
//! looked at; the model reads it when it needs it, and what it reads is data. Of a folder that is not trusted nothing is read.

use std::collections::HashSet;

use siltstone_contract::{
    ChooseSkill, Code, Failure, OfferSkill, SkillChosen, SkillItem, SkillPanel, SkillRef,
    SkillText, SkillsAt, Topic,
};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::{LineKind, MemoryLine, hash_of, lint};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::skill::{FILE, HOME, Skill, SkillFault, SkillFolder};
use siltstone_engine::tokens;

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::{Core, blocking, service};
use crate::memory::MemoryService;
use crate::privacy::PrivacyService;

service! {
    /// Skills of the person and of their projects.
    SkillService {
        needs { core: Core, privacy: PrivacyService, memory: MemoryService }
        keeps {}
    }
}

/// A skill that is listed once, however many folders hold it.
struct Found {
    folder: SkillFolder,
    skill: Result<Skill, SkillFault>,
    also_in: Vec<String>,
}

impl Found {
    fn is_of(&self, id: &str) -> bool {
        self.folder.id == id || self.also_in.iter().any(|other| other == id)
    }
}

impl SkillService {
    /// Skills at a place, and what is chosen of them.
    pub async fn skill_list(&self, request: SkillsAt) -> Result<SkillPanel, Failure> {
        let this = self.clone();
        blocking(move || this.panel(&request)).await?
    }

    /// What a skill says now.
    pub async fn skill_text(&self, request: SkillRef) -> Result<SkillText, Failure> {
        let this = self.clone();
        blocking(move || {
            let found = this.one(request.project_id, &request.id)?;
            let skill = found.skill.map_err(|fault| bad_request(&fault.to_string()))?;
            let findings = lint(&skill.written);
            let files = this.files_of(request.project_id, &found.folder.id)?;
            Ok(SkillText { text: skill.text, hash: skill.hash, files, findings })
        })
        .await?
    }

    /// Chooses one for a conversation, if it still says what was shown.
    pub async fn skill_choose(&self, request: ChooseSkill) -> Result<MemoryLine, Failure> {
        let this = self.clone();
        blocking(move || {
            let stores = this.core.stores()?;
            let conversation =
                stores.transcripts.conversation(request.conversation_id).or_failure()?;
            let skill = this.as_shown(conversation.project_id, &request.id, &request.hash)?;
            this.memory.keep_whole(&conversation, LineKind::Skill, &skill.text, request.id)
        })
        .await?
    }

    /// Says whether models may be told of one, as it was shown.
    pub async fn skill_offer(&self, request: OfferSkill) -> Result<(), Failure> {
        let this = self.clone();
        blocking(move || {
            let OfferSkill { project_id, id, hash, on } = request;
            if on && this.as_shown(project_id, &id, &hash)?.description.is_empty() {
                return Err(bad_request(
                    "a model cannot tell what a skill without description is for",
                ));
            }
            let change = &mut |settings: &mut siltstone_engine::settings::Settings| {
                let offered = &mut settings.tools.skills;
                offered.retain(|known| *known != hash);
                if on {
                    offered.push(hash.clone());
                }
            };
            this.core.stores()?.records.change_settings(change).or_failure().map(drop)
        })
        .await??;
        self.core.changed([Topic::Settings, Topic::Tools, Topic::Context]);
        Ok(())
    }

    /// Those that models are told of at a place.
    pub(crate) fn offered(&self, project: Option<ProjectId>) -> Vec<Skill> {
        self.told(project).into_iter().map(|(skill, _)| skill).collect()
    }

    /// The same, each with its folder.
    fn told(&self, project: Option<ProjectId>) -> Vec<(Skill, String)> {
        let known = self.core.stores().and_then(|it| it.records.settings().or_failure());
        let Ok(known) = known.map(|settings| settings.tools.skills) else { return Vec::new() };
        if known.is_empty() {
            return Vec::new();
        }
        let Ok(found) = self.found(project) else { return Vec::new() };
        let skills = found.into_iter().filter_map(|it| Some((it.skill.ok()?, it.folder.id)));
        let mut skills: Vec<_> = skills.filter(|(it, _)| known.contains(&it.hash)).collect();
        let mut names = HashSet::new();
        // The project's own comes first.
        skills.retain(|(skill, _)| names.insert(skill.name.clone()));
        skills
    }

    /// What a model reads of one that it was told of: its instructions, or a file of its folder.
    pub(crate) fn read_by_model(
        &self,
        project: Option<ProjectId>,
        name: &str,
        file: &str,
    ) -> Result<String, Failure> {
        let none = || Failure::new(Code::NotFound, format!("no skill {name} is offered here"));
        let told = self.told(project).into_iter().find(|(skill, _)| skill.name == name);
        let (skill, id) = told.ok_or_else(none)?;
        if !file.is_empty() && file != FILE {
            return self.text_of(project, &id, file);
        }
        let (mut text, files) = (skill.text, self.files_of(project, &id)?);
        if !files.is_empty() {
            text.push_str("\n\nFiles of this skill: ");
            text.push_str(&files.join(", "));
        }
        Ok(text)
    }

    fn panel(&self, request: &SkillsAt) -> Result<SkillPanel, Failure> {
        let stores = self.core.stores()?;
        let conversation = request.conversation_id.map(|id| stores.transcripts.conversation(id));
        let conversation = conversation.transpose().or_failure()?;
        let project = match &conversation {
            Some(conversation) => conversation.project_id,
            None => request.project_id,
        };
        let chosen = match &conversation {
            Some(conversation) => self.chosen(conversation)?,
            None => Vec::new(),
        };
        let offered = stores.records.settings().or_failure()?.tools.skills;
        let found = self.found(project)?;
        let mut skills = Vec::with_capacity(found.len());
        for found in &found {
            let files = self.files_of(project, &found.folder.id)?;
            skills.push(item(found, files, &chosen, &offered));
        }
        // What was chosen and is gone goes on being sent, so it is listed.
        let gone = chosen.iter().filter(|line| {
            let id = line.source.as_deref().unwrap_or_default();
            !found.iter().any(|found| found.is_of(id))
        });
        skills.extend(gone.map(gone_item));
        Ok(SkillPanel { skills, untrusted: self.is_untrusted(project)? })
    }

    /// What is chosen for a conversation.
    fn chosen(&self, conversation: &Conversation) -> Result<Vec<MemoryLine>, Failure> {
        self.memory.kept_of(conversation, LineKind::Skill)
    }

    fn one(&self, project: Option<ProjectId>, id: &str) -> Result<Found, Failure> {
        let found = self.found(project)?.into_iter().find(|found| found.is_of(id));
        found.ok_or_else(|| Failure::new(Code::NotFound, format!("no skill {id} here")))
    }

    fn as_shown(&self, project: Option<ProjectId>, id: &str, hash: &str) -> Result<Skill, Failure> {
        let skill = self.one(project, id)?.skill;
        let skill = skill.map_err(|fault| bad_request(&fault.to_string()))?;
        match skill.hash == hash {
            true => Ok(skill),
            false => Err(conflict("the skill says something else than what was shown")),
        }
    }

    /// All of a place, the same text once.
    fn found(&self, project: Option<ProjectId>) -> Result<Vec<Found>, Failure> {
        let project = self.trusted(project)?;
        let exclude = self.privacy.excluded(project.as_ref())?;
        let root = project.as_ref().map(|project| project.path.as_str());
        let mut all: Vec<Found> = Vec::new();
        for folder in self.core.world.skills.find(root, &exclude) {
            let mut skill = folder.skill();
            if let Ok(skill) = &mut skill {
                // A yes is to the skill of one place: another folder may hold other files beside the same text.
                let place = root.filter(|_| !folder.id.starts_with(HOME)).unwrap_or(HOME);
                skill.hash = hash_of(format!("{place}\n{}", skill.hash).as_bytes());
            }
            let same = |found: &&mut Found| match (&found.skill, &skill) {
                (Ok(known), Ok(skill)) => known.hash == skill.hash,
                _ => false,
            };
            match all.iter_mut().find(same) {
                Some(found) => found.also_in.push(folder.id),
                None => all.push(Found { folder, skill, also_in: Vec::new() }),
            }
        }
        Ok(all)
    }

    /// The other files of a skill.
    fn files_of(&self, project: Option<ProjectId>, id: &str) -> Result<Vec<String>, Failure> {
        let project = self.trusted(project)?;
        let exclude = self.privacy.excluded(project.as_ref())?;
        let root = project.as_ref().map(|project| project.path.as_str());
        Ok(self.core.world.skills.files(root, &exclude, id))
    }

    fn text_of(&self, project: Option<ProjectId>, id: &str, file: &str) -> Result<String, Failure> {
        let project = self.trusted(project)?;
        let exclude = self.privacy.excluded(project.as_ref())?;
        let root = project.as_ref().map(|project| project.path.as_str());
        self.core.world.skills.read(root, &exclude, id, file).or_failure()
    }

    fn trusted(&self, project: Option<ProjectId>) -> Result<Option<Project>, Failure> {
        let Some(id) = project else { return Ok(None) };
        let project = self.core.stores()?.records.project(id).or_failure()?;
        Ok(Some(project).filter(|project| project.trust == Trust::Trusted))
    }

    fn is_untrusted(&self, project: Option<ProjectId>) -> Result<bool, Failure> {
        Ok(project.is_some() && self.trusted(project)?.is_none())
    }
}

fn item(found: &Found, files: Vec<String>, chosen: &[MemoryLine], offered: &[String]) -> SkillItem {
    let folder = &found.folder;
    let line = chosen.iter().find(|line| line.source.as_deref().is_some_and(|id| found.is_of(id)));
    let base = SkillItem {
        id: folder.id.clone(),
        name: folder.id.rsplit('/').next().unwrap_or(&folder.id).to_owned(),
        description: String::new(),
        needs: None,
        tokens: 0,
        told_tokens: 0,
        hash: String::new(),
        files,
        also_in: found.also_in.clone(),
        offered: false,
        chosen: line.map(|line| SkillChosen { line_id: line.id, changed: true }),
        fault: None,
    };
    match &found.skill {
        Err(fault) => SkillItem { fault: Some(fault.clone()), ..base },
        Ok(skill) => SkillItem {
            name: skill.name.clone(),
            description: skill.description.clone(),
            needs: skill.needs.clone(),
            tokens: skill.tokens(),
            told_tokens: tokens::estimate(&skill.line()),
            hash: skill.hash.clone(),
            offered: offered.contains(&skill.hash),
            chosen: line.map(|line| SkillChosen {
                line_id: line.id,
                changed: hash_of(line.text.as_bytes()) != hash_of(skill.text.as_bytes()),
            }),
            ..base
        },
    }
}

fn gone_item(line: &MemoryLine) -> SkillItem {
    let id = line.source.clone().unwrap_or_default();
    SkillItem {
        name: id.rsplit('/').next().unwrap_or(&id).to_owned(),
        id,
        description: String::new(),
        needs: None,
        tokens: tokens::estimate(&line.text),
        told_tokens: 0,
        hash: String::new(),
        files: Vec::new(),
        also_in: Vec::new(),
        offered: false,
        chosen: Some(SkillChosen { line_id: line.id, changed: true }),
        fault: Some(SkillFault::Gone),
    }
}
