//! What a request offers: the built-in tools that can be used at its place, and those of servers the person trusted.
//!
//! Nothing is offered where nothing can come of it: to the offline provider, to small talk, to a model that is known to
//! take no tools or whose server refused them in this process, and where the person switched tools off. A section of the
//! request shows what is offered; without the section, which the person may leave out and a small window may have no room
//! for, nothing is. Small talk has them where the person pinned that section, and the request says why it is out.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use siltstone_contract::{DefaultModel, Failure, Topic};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::project::Trust;
use siltstone_engine::prompt::{server_section, tool_line, tools_room, tools_section};
use siltstone_engine::provider::{ModelInfo, OFFLINE};
use siltstone_engine::section::{LeftOut, LeftOutWhy, Request, Section, TOOLS};
use siltstone_engine::skill::Skill;
use siltstone_engine::summary::is_small_talk;
use siltstone_engine::tokens;
use siltstone_engine::tool::mcp::{McpServer, McpTool};
use siltstone_engine::tool::{BUILT_IN, SKILLS, ToolSettings, ToolSpec, approval};

use super::servers::ServerTools;
use crate::core::failure::Outcome;
use crate::core::{blocking, locked};
use crate::tools::ToolService;

/// The tool that needs the person's leave in a project before it is offered at all.
pub(super) const COMMAND: &str = "run_command";

/// What this process learned of what can be offered.
#[derive(Default)]
pub(crate) struct Known {
    /// Models whose server refused tools, by provider and model.
    refused: Mutex<HashSet<(String, String)>>,
    /// What servers offered at a place the last time, for previews: those start and ask nobody.
    servers: Mutex<HashMap<Option<ProjectId>, Vec<ServerTools>>>,
}

/// A tool that is offered.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    /// As the model is told of it.
    pub(crate) spec: ToolSpec,
    /// What an answer of the person is bound to: the tool as it describes itself, and how its server is reached.
    pub(crate) fingerprint: String,
    /// The server it is of.
    pub(crate) server: Option<McpServer>,
}

/// What a request offers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offered {
    tools: Vec<Offer>,
    /// What servers want models to be told, each by its name.
    said: Vec<(String, String)>,
    /// Tools for which the window is too small, or of which there are too many; or that all of them are out.
    crowded: Vec<LeftOut>,
}

/// Most tools of a request: OpenAI refuses more.
const MOST: usize = 128;

impl Offered {
    /// The tool of this name.
    pub(crate) fn of(&self, name: &str) -> Option<&Offer> {
        self.tools.iter().find(|offer| offer.spec.name == name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Takes out what is not offered although it could be.
    pub(crate) fn crowded(&mut self) -> Vec<LeftOut> {
        std::mem::take(&mut self.crowded)
    }

    /// Offers as many as have room, the built-in ones first.
    fn fit(&mut self, window: u64) {
        let (room, mut used, mut count) = (tools_room(window), 0, 0);
        self.tools.retain(|Offer { spec, .. }| {
            let tokens = tokens::estimate(&tool_line(spec));
            let fits = used + tokens <= room && count < MOST;
            if fits {
                (used, count) = (used + tokens, count + 1);
            } else {
                let (source, why) = (spec.name.clone(), LeftOutWhy::NoRoom);
                self.crowded.push(LeftOut::new(source, tokens, why));
            }
            fits
        });
    }

    /// None of them, and that this is so.
    fn left_out(self, why: LeftOutWhy) -> Self {
        let whole = self.sections().into_iter().next();
        let whole = whole.map(|of| {
            let tokens = tokens::estimate(&of.text);
            LeftOut::of(of.id, of.source, tokens, why)
        });
        Self { crowded: whole.into_iter().collect(), ..Self::default() }
    }

    /// The tools as models are told of them.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|offer| offer.spec.clone()).collect()
    }

    /// What a request shows of them.
    pub(crate) fn sections(&self) -> Vec<Section> {
        if self.tools.is_empty() {
            return Vec::new();
        }
        let said = self.said.iter().map(|(server, text)| server_section(server, text));
        std::iter::once(tools_section(&self.specs())).chain(said).collect()
    }

    /// The same as far as the request shows it.
    pub(crate) fn in_request(self, request: &Request) -> Self {
        let shown = request.sections.iter().any(|section| section.id == TOOLS);
        if shown { self } else { Self::default() }
    }
}

impl ToolService {
    /// What is offered for a question. Only one that is `sent` asks servers; a preview goes by what they said before.
    pub(crate) async fn tools_for(
        &self,
        conversation: &Conversation,
        choice: &DefaultModel,
        model: &ModelInfo,
        question: &str,
        sent: bool,
    ) -> Offered {
        let Ok(settings) = self.tool_settings() else { return Offered::default() };
        if !settings.on || choice.provider == OFFLINE {
            return Offered::default();
        }
        let key = (choice.provider.clone(), choice.model.clone());
        let refused = || locked(&self.offering.refused).contains(&key);
        let why = if model.takes_tools == Some(false) || refused() {
            Some(LeftOutWhy::NoTools)
        } else if is_small_talk(question) && !conversation.wishes.pins(TOOLS) {
            Some(LeftOutWhy::SmallTalk)
        } else {
            None
        };
        let project = conversation.project_id;
        let servers = match sent && why.is_none() {
            true => self.servers_now(project).await,
            false => self.servers_known(project),
        };
        let this = self.clone();
        let skills = blocking(move || this.skills.offered(project)).await.unwrap_or_default();
        let mut tools = self.offers_at(project, &servers, &skills);
        tools.retain(|offer| !settings.off.contains(&offer.spec.name));
        let said = servers
            .iter()
            .filter_map(|found| Some((found.server.name.clone(), found.instructions.clone()?)));
        let mut offered = Offered { said: said.collect(), tools, crowded: Vec::new() };
        offered.fit(model.window());
        match why {
            Some(why) => offered.left_out(why),
            None => offered,
        }
    }

    /// The tools that can be offered at a place, as far as that is known without asking servers.
    pub(crate) fn tools_at(&self, project: Option<ProjectId>) -> Result<Vec<ToolSpec>, Failure> {
        let settings = self.tool_settings()?;
        if !settings.on {
            return Ok(Vec::new());
        }
        let known = locked(&self.offering.servers).get(&project).cloned().unwrap_or_default();
        let skills = self.skills.offered(project);
        let offers = self.offers_at(project, &known, &skills).into_iter().map(|offer| offer.spec);
        Ok(offers.filter(|spec| !settings.off.contains(&spec.name)).collect())
    }

    /// The built-in tools of a place, and those of servers.
    fn offers_at(
        &self,
        project: Option<ProjectId>,
        servers: &[ServerTools],
        skills: &[Skill],
    ) -> Vec<Offer> {
        let (trusted, commands) = self.place_of_tools(project);
        let built_in = BUILT_IN.iter().filter(|tool| {
            (trusted || !tool.needs_project)
                && (commands || tool.spec.name != COMMAND)
                && (!skills.is_empty() || tool.spec.name != SKILLS)
        });
        let built_in = built_in.map(|tool| {
            let mut spec = tool.spec.clone();
            if spec.name == SKILLS {
                let lines = skills.iter().map(|skill| format!("\n{}", skill.line()));
                spec.description.extend(lines);
            }
            offer(spec, None)
        });
        let of_servers = servers.iter().flat_map(|found| {
            let spec = |tool| found.server.spec(tool);
            let specs = found.tools.iter().filter_map(spec);
            specs.map(|spec| offer(spec, Some(found.server.clone())))
        });
        built_in.chain(of_servers).collect()
    }

    /// Whether tools may use a project's files, and whether they may run commands in it.
    pub(super) fn place_of_tools(&self, project: Option<ProjectId>) -> (bool, bool) {
        let Some((id, stores)) = project.zip(self.core.stores().ok()) else {
            return (false, false);
        };
        let known = stores.records.project(id);
        let trusted = known.is_ok_and(|project| project.trust == Trust::Trusted);
        (trusted, trusted && stores.tools.commands_allowed(id).unwrap_or(false))
    }

    /// How far tools go.
    pub(crate) fn tool_settings(&self) -> Result<ToolSettings, Failure> {
        Ok(self.core.stores()?.records.settings().or_failure()?.tools)
    }

    /// A model's server refused tools: it is offered none any more while this process lasts.
    pub(crate) fn takes_no_tools(&self, provider: &str, model: &str) {
        locked(&self.offering.refused).insert((provider.to_owned(), model.to_owned()));
    }

    async fn servers_now(&self, project: Option<ProjectId>) -> Vec<ServerTools> {
        let found = self.server_tools(project).await;
        let tools = |found: &[ServerTools]| -> Vec<Vec<McpTool>> {
            found.iter().map(|found| found.tools.clone()).collect()
        };
        let before = locked(&self.offering.servers).insert(project, found.clone());
        if tools(&before.unwrap_or_default()) != tools(&found) {
            self.core.layers_changed().await;
        }
        found
    }

    /// What servers said the last time; those of a place that were never asked are asked for the next preview.
    pub(super) fn servers_known(&self, project: Option<ProjectId>) -> Vec<ServerTools> {
        let mut known = locked(&self.offering.servers);
        if let Some(found) = known.get(&project) {
            return found.clone();
        }
        known.insert(project, Vec::new());
        let this = self.clone();
        tokio::spawn(async move {
            if !this.servers_now(project).await.is_empty() {
                this.core.changed([Topic::Tools, Topic::Context]);
            }
        });
        Vec::new()
    }
}

fn offer(spec: ToolSpec, server: Option<McpServer>) -> Offer {
    let fingerprint = approval::fingerprint(&spec, server.as_ref());
    Offer { spec, fingerprint, server }
}
