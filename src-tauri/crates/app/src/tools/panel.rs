//! What is offered at a place, what was remembered, long results, and turns as they were carried out.

use siltstone_contract::{
    AllowCommands, Code, Failure, OutputText, ReadOutput, RuleRef, RunView, ToolItem, ToolPanel,
    ToolsAt, Topic, TurnRef,
};
use siltstone_engine::project::Trust;
use siltstone_engine::tool::{BUILT_IN, Effect, SKILLS};

use super::offered::COMMAND;
use crate::core::failure::{Outcome, bad_request};
use crate::core::{blocking, locked};
use crate::tools::ToolService;

/// Most lines of a long result that are given at once.
const LINES: u64 = 2_000;

impl ToolService {
    /// Tools at a place, and what was remembered of them. Servers are listed with what they offered the last time;
    /// none is started for this.
    pub async fn tool_panel(&self, request: ToolsAt) -> Result<ToolPanel, Failure> {
        let stores = self.core.stores()?;
        let settings = self.tool_settings()?;
        let project = request.project_id;
        let (trusted, commands_allowed) = self.place_of_tools(project);
        let on = |name: &str| !settings.off.iter().any(|off| off == name);
        let this = self.clone();
        let no_skills = blocking(move || this.skills.offered(project)).await?.is_empty();
        let built_in = BUILT_IN.iter().map(|tool| ToolItem {
            name: tool.spec.name.clone(),
            description: tool.spec.description.clone(),
            effect: tool.effect,
            server: None,
            on: on(&tool.spec.name),
            available: (trusted || !tool.needs_project)
                && (commands_allowed || tool.spec.name != COMMAND)
                && (!no_skills || tool.spec.name != SKILLS),
        });
        let servers = self.servers_known(project);
        let of_servers = servers.iter().flat_map(|found| {
            found.tools.iter().filter_map(|tool| found.server.spec(tool)).map(|spec| ToolItem {
                on: on(&spec.name),
                name: spec.name,
                description: spec.description,
                effect: Effect::Runs,
                server: Some(found.server.name.clone()),
                available: true,
            })
        });
        Ok(ToolPanel {
            tools: built_in.chain(of_servers).collect(),
            commands_allowed,
            sandbox: self.core.world.commands.sandbox(),
            rules: stores.tools.rules(project).or_failure()?,
        })
    }

    /// Says whether commands may be run in a project; only in a trusted one.
    pub async fn tool_commands(&self, request: AllowCommands) -> Result<ToolPanel, Failure> {
        let stores = self.core.stores()?;
        let AllowCommands { project_id, allowed } = request;
        let project = stores.records.project(project_id).or_failure()?;
        if allowed && project.trust != Trust::Trusted {
            return Err(bad_request("commands run only in a project that is trusted"));
        }
        stores.tools.allow_commands(project_id, allowed).or_failure()?;
        self.core.layers_changed().await;
        self.core.changed([Topic::Tools, Topic::Context]);
        self.tool_panel(ToolsAt { project_id: Some(project_id) }).await
    }

    /// Forgets a remembered answer.
    pub async fn tool_rule_revoke(&self, request: RuleRef) -> Result<(), Failure> {
        if let Some(rule) = self.core.stores()?.tools.remove_rule(request.id).or_failure()? {
            locked(&self.forgotten).insert(rule.id, rule);
        }
        self.core.changed([Topic::Tools]);
        Ok(())
    }

    /// Remembers an answer again that was forgotten since the program started. Only such a one: a host can bring back
    /// what the person said, and not say something in their place.
    pub async fn tool_rule_restore(&self, request: RuleRef) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let Some(rule) = locked(&self.forgotten).remove(&request.id) else {
            let detail = format!("no answer {} was forgotten", request.id);
            return Err(Failure::new(Code::NotFound, detail));
        };
        if let Err(failure) = stores.tools.put_rule(&rule).or_failure() {
            locked(&self.forgotten).insert(rule.id, rule);
            return Err(failure);
        }
        self.core.changed([Topic::Tools]);
        Ok(())
    }

    /// A part of a long result, as the tool gave it.
    pub async fn tool_output(&self, request: ReadOutput) -> Result<OutputText, Failure> {
        let ReadOutput { conversation_id, hash, offset, limit } = request;
        let whole = self.core.stores()?.tools.output(conversation_id, &hash).or_failure()?;
        let first = usize::try_from(offset.max(1) - 1).unwrap_or(usize::MAX);
        let most = usize::try_from(limit.clamp(1, LINES)).unwrap_or(usize::MAX);
        let shown: Vec<&str> = whole.lines().skip(first).take(most).collect();
        let lines = whole.lines().count() as u64;
        Ok(OutputText { text: shown.join("\n"), offset: offset.max(1), lines })
    }

    /// A turn as it was carried out.
    pub async fn run_get(&self, request: TurnRef) -> Result<RunView, Failure> {
        let nodes = self.core.stores()?.tools.nodes(request.id).or_failure()?;
        Ok(RunView { turn_id: request.id, nodes })
    }
}
