//! `silt skill`: folders with a `SKILL.md`, listed with what they cost, chosen for a conversation, told to models.

use serde_json::json;
use siltstone_contract::{
    ChooseSkill, Code, Failure, LineRef, OfferSkill, SkillItem, SkillPanel, SkillRef, SkillsAt,
};
use siltstone_engine::ids::{ConversationId, ProjectId};

use super::named::{self, LAST};
use crate::args::Skill;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: Skill) -> Result<(), Stop> {
    match command {
        Skill::List { conversation } => {
            let conversation_id = match conversation {
                Some(typed) => Some(named::conversation(host, &typed).await?),
                None => named::conversation(host, LAST).await.ok(),
            };
            list(host, &panel(host, conversation_id).await?)
        }
        Skill::Show { skill } => {
            let (project_id, item) = find(host, None, &skill).await?;
            let said = host.app.skill_text(SkillRef { project_id, id: item.id }).await?;
            if host.out.json {
                return host.out.value(&said);
            }
            host.out.line(&said.text)?;
            said.findings.iter().for_each(|found| host.out.note(&host.out.lang.term(&found.kind)));
            Ok(())
        }
        Skill::Use { skill, conversation } => {
            let conversation = conversation.as_deref().unwrap_or(LAST);
            let id = named::conversation(host, conversation).await?;
            take(host, id, &skill).await?;
            told(host, Some(id), &skill).await
        }
        Skill::Drop { skill, conversation } => {
            let conversation = conversation.as_deref().unwrap_or(LAST);
            let id = named::conversation(host, conversation).await?;
            let (_, item) = find(host, Some(id), &skill).await?;
            let Some(chosen) = item.chosen else {
                let detail = format!("the conversation has no skill {}", item.name);
                return Err(Failure::new(Code::NotFound, detail).into());
            };
            host.app.memory_remove(LineRef { id: chosen.line_id }).await?;
            told(host, Some(id), &item.id).await
        }
        Skill::Offer { skill } => offer(host, &skill, true).await,
        Skill::Withdraw { skill } => offer(host, &skill, false).await,
    }
}

/// Sends a skill with a conversation from now on.
pub(super) async fn take(host: &Host, id: ConversationId, skill: &str) -> Result<(), Stop> {
    let (_, item) = find(host, Some(id), skill).await?;
    let request = ChooseSkill { conversation_id: id, id: item.id, hash: item.hash };
    host.app.skill_choose(request).await?;
    Ok(())
}

async fn offer(host: &Host, skill: &str, on: bool) -> Result<(), Stop> {
    let (project_id, SkillItem { id, hash, .. }) = find(host, None, skill).await?;
    host.app.skill_offer(OfferSkill { project_id, id: id.clone(), hash, on }).await?;
    told(host, None, &id).await
}

async fn panel(host: &Host, conversation_id: Option<ConversationId>) -> Result<SkillPanel, Stop> {
    let project_id = host.project().await?.map(|project| project.id);
    Ok(host.app.skill_list(SkillsAt { project_id, conversation_id }).await?)
}

/// The skill that is meant, and the project at which it is looked at.
async fn find(
    host: &Host,
    conversation: Option<ConversationId>,
    typed: &str,
) -> Result<(Option<ProjectId>, SkillItem), Stop> {
    let project_id = host.project().await?.map(|project| project.id);
    let all = panel(host, conversation).await?.skills;
    let is_folder = |it: &&SkillItem| it.id == typed || it.also_in.iter().any(|id| id == typed);
    let mut named: Vec<&SkillItem> = all.iter().filter(|it| it.name == typed).collect();
    if let Some(one) = all.iter().find(is_folder) {
        named = vec![one];
    }
    match named[..] {
        [one] => Ok((project_id, one.clone())),
        [] => Err(Failure::new(Code::NotFound, format!("no skill {typed} here")).into()),
        _ => {
            let folders: Vec<&str> = named.iter().map(|it| it.id.as_str()).collect();
            let lang = host.out.lang;
            let message = lang.pick("several skills are called {}", "{}(이)라는 스킬이 여럿입니다");
            let hint = lang.pick("Name one by its folder:", "폴더로 하나를 고르세요:");
            Err(Stop::Value {
                message: message.replace("{}", typed),
                hint: format!("{hint} {}", folders.join(", ")),
            })
        }
    }
}

/// The skill as it stands now.
async fn told(host: &Host, conversation: Option<ConversationId>, skill: &str) -> Result<(), Stop> {
    match find(host, conversation, skill).await {
        Ok((_, item)) if host.out.json => host.out.value(&item),
        Ok((_, item)) => line(host, &item),
        // It was gone from its folder and is now gone from the conversation.
        Err(_) if host.out.json => host.out.value(&json!(null)),
        Err(_) => Ok(()),
    }
}

fn list(host: &Host, panel: &SkillPanel) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(panel);
    }
    let lang = host.out.lang;
    if panel.untrusted {
        host.out.note(lang.pick(
            "The project is not trusted: nothing in it was read.",
            "프로젝트를 신뢰하지 않아 그 안의 것은 읽지 않았습니다.",
        ));
    }
    if panel.skills.is_empty() {
        host.out.note(lang.pick(
            "No skills here. They are folders with a SKILL.md in .agents/skills or .claude/skills, of a project or of your home.",
            "여기에는 스킬이 없습니다. 스킬은 프로젝트나 홈 폴더의 .agents/skills, .claude/skills 등에 있는, SKILL.md가 든 폴더입니다.",
        ));
    }
    panel.skills.iter().try_for_each(|item| line(host, item))
}

fn line(host: &Host, item: &SkillItem) -> Result<(), Stop> {
    let lang = host.out.lang;
    let mut said = vec![lang.count("~{} token(s)", "약 {}토큰", item.tokens)];
    if let Some(fault) = &item.fault {
        said = vec![format!("{}: {fault}", lang.pick("cannot be used", "쓸 수 없음"))];
    }
    if let Some(chosen) = &item.chosen {
        said.push(lang.pick("goes with the conversation", "대화에 함께 감").to_owned());
        if chosen.changed {
            said.push(lang.pick("as it was chosen", "고를 때의 글로").to_owned());
        }
    }
    if item.offered {
        let told = lang.count(
            "models are told (~{} token(s))",
            "모델에 알림(약 {}토큰)",
            item.told_tokens,
        );
        said.push(told);
    }
    host.out.line(&format!("{}  {}  {}", item.name, item.id, said.join(", ")))?;
    if !item.description.is_empty() {
        host.out.line(&format!("  {}", item.description))?;
    }
    Ok(())
}
