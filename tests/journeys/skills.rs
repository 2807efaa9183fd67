//! Skills: listed with what they cost, chosen for a conversation as they were shown, read by a model that was told of them,
//! and in no request otherwise.

use siltstone_contract::{
    ChooseSkill, Code, LineRef, OfferSkill, SkillItem, SkillRef, SkillsAt, ToolsAt,
};
use siltstone_engine::memory::InjectedWhy;
use siltstone_engine::project::Trust;
use siltstone_engine::section::{Reason, SectionKind};
use siltstone_engine::skill::SkillFault;
use siltstone_engine::tool::SKILLS;

use crate::runs::{Desk, call, say};
use crate::scripted::Step;
use crate::world::write;

const ID: &str = ".claude/skills/release";
const SKILL: &str = "---\nname: release\ndescription: How releases are made here.\n---\n\n\
                     Always tag with a leading v. See references/steps.md.\n";

impl Desk {
    async fn with_skill(scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        let desk = Self::of(scripts).await;
        write(&desk.journey.project, ".claude/skills/release/SKILL.md", SKILL);
        write(&desk.journey.project, ".claude/skills/release/references/steps.md", "1. Tag.\n");
        desk
    }

    async fn skills(&self) -> Vec<SkillItem> {
        let at = SkillsAt { project_id: None, conversation_id: Some(self.id) };
        let mut skills = self.journey.app.skill_list(at).await.unwrap().skills;
        // Whoever runs this may have some of their own.
        skills.retain(|skill| !skill.id.starts_with("~/"));
        skills
    }

    async fn choose(&self, hash: &str) -> Result<(), Code> {
        let (id, hash) = (ID.to_owned(), hash.to_owned());
        let request = ChooseSkill { conversation_id: self.id, id, hash };
        self.journey.app.skill_choose(request).await.map(drop).map_err(|failure| failure.code)
    }

    async fn offer(&self, hash: &str, on: bool) -> Result<(), Code> {
        let (project_id, id, hash) = (Some(self.project), ID.to_owned(), hash.to_owned());
        let request = OfferSkill { project_id, id, hash, on };
        self.journey.app.skill_offer(request).await.map_err(|failure| failure.code)
    }

    /// What the next request says of the tool that reads skills.
    async fn told(&self) -> String {
        let tools = self.preview("Make the release.").await.sections;
        let tools = tools.into_iter().find(|it| it.kind == SectionKind::Tools).unwrap().text;
        let lines = tools.lines().skip_while(|line| !line.contains(SKILLS));
        lines.take_while(|line| !line.trim_start().starts_with('{')).collect()
    }
}

#[tokio::test]
async fn one_that_is_chosen_goes_as_it_was_shown_until_it_is_taken_away() {
    let desk = Desk::with_skill([say("Tagged."), say("Done.")]).await;
    let [skill] = &desk.skills().await[..] else { panic!("one skill") };
    assert_eq!((skill.id.as_str(), skill.name.as_str()), (ID, "release"));
    assert_eq!(skill.description, "How releases are made here.");
    assert_eq!(skill.files, ["references/steps.md"]);
    assert!(skill.tokens > 5 && skill.told_tokens > 0 && !skill.offered && skill.chosen.is_none());
    let text = |preview: siltstone_contract::RequestView| {
        let of = |it: &siltstone_engine::section::Section| {
            matches!(&it.reason, Reason::Memory { why: InjectedWhy::Skill, .. })
        };
        preview.sections.into_iter().find(of).map(|section| (section.source, section.text))
    };
    assert_eq!(text(desk.preview("Hi").await), None, "nothing goes that nobody chose");

    assert_eq!(desk.choose(&"0".repeat(64)).await, Err(Code::Conflict));
    desk.choose(&skill.hash).await.unwrap();
    let sent = "Always tag with a leading v. See references/steps.md.";
    let shown = Some((format!("skill/{ID}"), sent.to_owned()));
    assert_eq!(text(desk.preview("Hi").await), shown);
    desk.journey.ask(desk.id, "Make the release.").await;
    let asked = desk.asked().pop().unwrap();
    assert!(asked.sections.iter().any(|it| it.kind == SectionKind::Memory && it.text == sent));

    // Another text in its file is shown, and what was chosen goes.
    write(&desk.journey.project, ".claude/skills/release/SKILL.md", &SKILL.replace("v.", "w."));
    let [changed] = &desk.skills().await[..] else { panic!("one skill") };
    let chosen = changed.chosen.clone().unwrap();
    assert!(chosen.changed);
    assert_eq!(text(desk.preview("Hi").await), shown);
    desk.choose(&changed.hash).await.unwrap();
    assert_eq!(text(desk.preview("Hi").await).unwrap().1, sent.replace("v.", "w."));

    // Its folder goes, and it is still there to be taken away.
    let folder = desk.journey.project.path().join(ID);
    std::fs::remove_dir_all(folder).unwrap();
    let [gone] = &desk.skills().await[..] else { panic!("one skill") };
    assert_eq!(gone.fault, Some(SkillFault::Gone));
    let id = gone.chosen.clone().unwrap().line_id;
    desk.journey.app.memory_remove(LineRef { id }).await.unwrap();
    assert!(desk.skills().await.is_empty());
    assert_eq!(text(desk.preview("Hi").await), None);
    desk.journey.app.memory_undo(LineRef { id }).await.unwrap();
    assert_eq!(text(desk.preview("Hi").await).unwrap().1, sent.replace("v.", "w."));
}

#[tokio::test]
async fn a_model_is_told_of_those_it_may_read_as_they_were_looked_at() {
    let read = |id: &'static str, arguments| vec![call(id, SKILLS, arguments), Step::Finish];
    let desk = Desk::with_skill([
        read("a", serde_json::json!({"name": "release"})),
        read("b", serde_json::json!({"name": "release", "file": "references/steps.md"})),
        read("c", serde_json::json!({"name": "release", "file": "../../../AGENTS.md"})),
        say("Tagged."),
    ])
    .await;
    let hash = desk.skills().await[0].hash.clone();
    assert_eq!(desk.told().await, "", "no model hears of one that nobody allowed");
    desk.offer(&hash, true).await.unwrap();
    assert!(desk.skills().await[0].offered);
    assert!(desk.told().await.contains("- release: How releases are made here."));
    let panel = ToolsAt { project_id: Some(desk.project) };
    let tools = desk.journey.app.tool_panel(panel).await.unwrap().tools;
    assert!(tools.iter().any(|tool| tool.name == SKILLS && tool.available));

    desk.journey.ask(desk.id, "Make the release.").await;
    let results = desk.results().await;
    assert!(results[0].1.starts_with("Always tag with a leading v."), "{results:?}");
    assert!(results[0].1.ends_with("Files of this skill: references/steps.md"));
    assert_eq!((results[1].1.as_str(), results[1].2), ("1. Tag.\n", false));
    assert!(results[2].2 && !results[2].1.contains("public API"), "{:?}", results[2]);

    // What nobody looked at is told to nobody.
    write(&desk.journey.project, ".claude/skills/release/SKILL.md", &SKILL.replace("v.", "w."));
    assert_eq!(desk.told().await, "");
    assert!(!desk.skills().await[0].offered);
    write(&desk.journey.project, ".claude/skills/release/SKILL.md", SKILL);
    assert!(!desk.told().await.is_empty());
    desk.offer(&hash, false).await.unwrap();
    assert_eq!(desk.told().await, "");
}

#[tokio::test]
async fn letters_that_nobody_sees_are_told_of_and_do_not_go() {
    let desk = Desk::with_skill([]).await;
    let hidden = SKILL.replace("tag", "t\u{200B}ag");
    write(&desk.journey.project, ".claude/skills/release/SKILL.md", &hidden);
    let request = SkillRef { project_id: Some(desk.project), id: ID.into() };
    let said = desk.journey.app.skill_text(request).await.unwrap();
    assert!(said.text.contains("tag with") && said.findings.len() == 1, "{said:?}");
}

#[tokio::test]
async fn nothing_of_a_folder_that_is_not_trusted_and_a_broken_one_says_why() {
    let desk = Desk::with_skill([]).await;
    write(&desk.journey.project, ".agents/skills/note/SKILL.md", "# Only a note\n");
    write(&desk.journey.project, ".agents/skills/copy/SKILL.md", SKILL);
    let skills = desk.skills().await;
    let ids: Vec<&str> = skills.iter().map(|skill| skill.id.as_str()).collect();
    assert_eq!(ids, [".agents/skills/copy", ".agents/skills/note"], "the same text once");
    assert_eq!(skills[0].also_in, [ID]);
    assert!(skills[1].fault.is_some());
    let text = SkillRef { project_id: Some(desk.project), id: ".agents/skills/note".into() };
    let failure = desk.journey.app.skill_text(text).await.unwrap_err();
    assert_eq!(failure.code, Code::BadRequest);
    desk.offer(&skills[0].hash, true).await.unwrap();

    desk.journey.open(Trust::Untrusted).await;
    let at = SkillsAt { project_id: None, conversation_id: Some(desk.id) };
    let panel = desk.journey.app.skill_list(at).await.unwrap();
    assert!(panel.untrusted && panel.skills.iter().all(|skill| skill.id.starts_with("~/")));
    assert_eq!(desk.choose(&skills[0].hash).await, Err(Code::NotFound));
    assert_eq!(desk.told().await, "");
}
