//! One derivation: what is shown of the next request is what is sent, in random states of everything it is made of.
//!
//! Somebody walks at random through a project; after every step all that is said of the next request is held against its
//! sections, from time to time against what `silt` prints, and against the panel of summaries. Every few steps the message
//! is sent: what the provider is handed is what was shown right before, and so are the bytes that arrive.

use siltstone_contract::{
    AllowOthers, ConversationRef, RequestView, SaveDraft, SummaryPanel, TakePlace, TurnRef,
};
use siltstone_engine::ids::TurnId;
use siltstone_engine::section::{Reason, Section, SectionKind, recalled_of};
use siltstone_engine::settings::Settings;
use siltstone_engine::summary::Distance;
use siltstone_engine::tokens::Encoding;
use siltstone_test_servers::until::until;

use super::room::is_task;
use super::shown::{Shown, differ, names};
use super::walk::Walk;
use super::wire;
use crate::{Options, Outcome, Trouble};

/// Steps of one walk: a conversation grows long enough to be folded, and a new folder costs little.
const STEPS: u64 = 250;

/// A message is sent after one step of so many, what is offered is tried after another one, and `silt` is asked after one of
/// so many.
const SENDS: u64 = 4;
const ASKS_SILT: u64 = 40;

/// So often it is looked whether tokens are counted.
const LOOKS: u32 = 1_000;

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut outcome = Outcome::default();
    let states = options.count(1_000, 10_000);
    for walk in 0..states.div_ceil(STEPS) {
        let chance = options.chance(&format!("derivation {walk}"));
        let steps = STEPS.min(states - walk * STEPS);
        let went = runtime.block_on(async {
            let walk = (Walk::new(chance).await?, walk);
            Judge { walk: walk.0, place: walk.1, outcome: &mut outcome }.goes(steps).await
        });
        if let Err(trouble) = went {
            outcome.fail(format!("walk {walk} was cut off: {trouble}"));
        }
    }
    Ok(outcome)
}

/// Who looks on.
struct Judge<'a> {
    walk: Walk,
    /// Which walk it is.
    place: u64,
    outcome: &'a mut Outcome,
}

/// What is shown of a state.
struct State {
    view: RequestView,
    panel: SummaryPanel,
    messages: u64,
    /// Tokens of the messages from the first one on that no summary stands for.
    waiting: u64,
}

impl Judge<'_> {
    async fn goes(&mut self, steps: u64) -> Result<(), Trouble> {
        let mut state = self.looks().await?;
        for step in 0..steps {
            let did = self.walk.step(&state.view).await?;
            state = self.looks().await?;
            let shown = Shown { view: &state.view, panel: &state.panel, messages: state.messages };
            let wrong = shown.wrong();
            self.outcome.count("states", 1);
            let at = format!("walk {}, step {step}, {did}", self.place);
            self.fail(&at, wrong);
            let roll = self.walk.chance.below(ASKS_SILT);
            if roll.is_multiple_of(SENDS) && self.can_send(&state) {
                let wrong = self.sends(state).await?;
                self.fail(&at, wrong);
                state = self.looks().await?;
            } else if roll == 1 {
                let wrong = self.asks_silt(&state.view).await?;
                self.fail(&at, wrong);
            } else if roll % SENDS == 3 {
                let wrong = self.offers(&state.view).await?;
                self.fail(&at, wrong);
            }
        }
        Ok(())
    }

    fn fail(&mut self, at: &str, wrong: Vec<String>) {
        for wrong in wrong {
            self.outcome.fail(format!("{at}: {wrong}"));
        }
    }

    /// All that is shown now; where tokens are counted in the background, when they are.
    async fn looks(&mut self) -> Result<State, Trouble> {
        let (room, id, draft) = (&self.walk.room, self.walk.id, self.walk.draft.as_str());
        let mut view = room.preview(id, draft).await?;
        let strict = room.panel(id).await?.strict;
        if Encoding::of_model(&view.model).is_some() && !strict {
            let (mut trouble, mut looks) = (None, 0);
            until("the tokens are counted", async || {
                looks += 1;
                match room.preview(id, draft).await {
                    Ok(next) => {
                        let uncounted: Vec<&Section> =
                            next.sections.iter().filter(|it| !is_counted(it)).collect();
                        if looks > LOOKS {
                            let names = names(uncounted.iter().copied());
                            trouble = Some(format!("never counted: {names:?}").into());
                        }
                        let is_so = next == view && uncounted.is_empty();
                        view = next;
                        is_so || trouble.is_some()
                    }
                    Err(other) => {
                        trouble = Some(other);
                        true
                    }
                }
            })
            .await;
            trouble.map_or(Ok(()), Err)?;
        }
        let panel = room.panel(id).await?;
        let (messages, waiting) = room.tokens_from(id, panel.first_raw).await?;
        Ok(State { view, panel, messages, waiting })
    }

    /// Whether there is something to send, and room for it.
    fn can_send(&self, state: &State) -> bool {
        let asks = state.view.sections.iter().any(|it| it.kind == SectionKind::Draft);
        asks && state.view.tokens <= state.view.budget
    }

    /// Sends what was shown, and looks at what left.
    async fn sends(&mut self, state: State) -> Result<Vec<String>, Trouble> {
        let (id, draft) = (self.walk.id, std::mem::take(&mut self.walk.draft));
        self.walk.room.left();
        let turn = self.walk.room.send(id, &draft).await?;
        self.walk.room.settled(id).await?;
        let (asked, arrived) = self.walk.room.left();
        let mut wrong = Vec::new();
        let after = self.walk.room.panel(id).await?;
        let first = asked.iter().position(|request| !is_task(request));
        // What was due before the turn is folded before it: then something else was shown.
        let folded = asked.iter().take(first.unwrap_or(asked.len())).any(is_task);
        let Some(request) = first.and_then(|first| asked.get(first)) else {
            return Ok(vec![format!("nothing was sent of {:?}", names(&state.view.sections))]);
        };
        if folded {
            self.outcome.count("folded before it left", 1);
            return Ok(wrong);
        }
        self.outcome.count("sent", 1);
        wrong.extend(differ(&state.view.sections, &request.sections));
        wrong.extend(wire::wrong(&state.view.sections, request, &arrived));
        if let Some(turn) = turn {
            wrong.extend(self.kept(turn, &state.view).await?);
        }
        wrong.extend(self.distance(&state, &after).await?);
        Ok(wrong)
    }

    /// What is said of it afterwards is what was said of it before.
    async fn kept(&self, turn: TurnId, view: &RequestView) -> Result<Option<String>, Trouble> {
        let nodes = self.walk.room.app.run_get(TurnRef { id: turn }).await?.nodes;
        let asks = nodes
            .iter()
            .filter(|node| matches!(node.kind, siltstone_engine::run::NodeKind::Model { .. }));
        if asks.count() > 1 {
            return Ok(None);
        }
        let sent = self.walk.room.app.request_sent(TurnRef { id: turn }).await?;
        let of = |it: &siltstone_contract::SentSection| {
            (it.section.id.clone(), it.section.tokens, it.section.exact)
        };
        let now: Vec<_> = sent.sections.iter().map(of).collect();
        let before = view.sections.iter().map(|it| (it.id.clone(), it.tokens, it.exact));
        let before: Vec<_> = before.collect();
        let same = now == before
            && (sent.tokens, sent.budget) == (view.tokens, view.budget)
            && sent.left_out == view.left_out;
        Ok((!same).then(|| {
            format!(
                "kept {now:?} without {:?}, shown {before:?} without {:?}",
                sent.left_out, view.left_out
            )
        }))
    }

    /// The next fold came when it was said to come, and is nearer by what was said since.
    async fn distance(
        &self,
        before: &State,
        after: &SummaryPanel,
    ) -> Result<Option<String>, Trouble> {
        let (Some(Distance::Tokens(left)), Some(Distance::Tokens(now))) =
            (before.panel.distance, after.distance)
        else {
            return Ok(None);
        };
        let same = before.panel.records.len() == after.records.len();
        let undone = after.records.iter().any(|record| record.is_undone());
        let (_, waiting) = self.walk.room.tokens_from(self.walk.id, before.panel.first_raw).await?;
        let said = waiting.saturating_sub(before.waiting);
        Ok(match same {
            true if after.strict || undone => None,
            true if now != left.saturating_sub(said) => Some(format!(
                "{left} tokens to the next fold, {said} were said, and {now} are left"
            )),
            false if left > said => {
                Some(format!("folded {left} tokens away, when {said} were said"))
            }
            _ => None,
        })
    }

    /// What is offered is what would go: where the work stopped, and what was said in other conversations. Both are looked at
    /// as if they had been taken, and taken back.
    async fn offers(&mut self, view: &RequestView) -> Result<Vec<String>, Trouble> {
        let (app, id) = (self.walk.room.app.clone(), self.walk.id);
        let mut wrong = Vec::new();
        if let Some(place) = view.place.as_ref().filter(|place| !place.taken) {
            app.place_take(TakePlace { conversation_id: id, take: true }).await?;
            let taken = self.walk.room.preview(id, &self.walk.draft).await?;
            app.place_take(TakePlace { conversation_id: id, take: false }).await?;
            let goes: Vec<_> = super::shown::carried(&taken);
            let text = |it: &Section| (it.text.clone(), it.tokens);
            let offered: Vec<_> = place.sections.iter().map(text).collect();
            let goes: Vec<_> = goes.into_iter().map(text).collect();
            self.outcome.count("places taken", 1);
            if offered != goes {
                wrong.push(format!("offered {offered:?}, and {goes:?} would go"));
            }
        }
        let conversation = app.conversation_get(ConversationRef { id }).await?.item;
        let settings = app.settings_get(()).await?;
        if let Some(project_id) = conversation.project_id
            && !settings.recall_others.contains_key(&project_id)
        {
            app.others_allow(AllowOthers { project_id, allow: true }).await?;
            let allowed = self.walk.room.preview(id, &self.walk.draft).await?;
            app.settings_set(Settings { ..settings }).await?;
            let before = names(&view.sections);
            let come = allowed.sections.iter().filter(|it| recalled_of(&it.id).is_some());
            let of_others = come.filter(|it| is_of_another(it)).count();
            self.outcome.count("others allowed", 1);
            if of_others as u64 != u64::from(view.others) {
                let after = names(&allowed.sections);
                wrong.push(format!(
                    "{} passages of others fit, {of_others} go: {before:?} {after:?}",
                    view.others
                ));
            }
        }
        Ok(wrong)
    }

    /// `silt` prints the rows and the sum of the same value; it is the one of this process where both know the same.
    async fn asks_silt(&mut self, view: &RequestView) -> Result<Vec<String>, Trouble> {
        let (id, draft) = (self.walk.id.to_string(), self.walk.draft.clone());
        let text = draft.clone();
        self.walk.room.app.conversation_draft(SaveDraft { id: self.walk.id, text }).await?;
        let args = ["context", "preview", "--conversation", &id, "--draft", &draft];
        let mut json = self.walk.room.desk.json(&args)?;
        // `silt` counts the turns of a summary one by one; here the first and the last say it.
        for section in json["sections"].as_array_mut().into_iter().flatten() {
            let turns = section["turns"].as_array().cloned().unwrap_or_default();
            section["turns"] = turns.first().zip(turns.last()).map_or(
                serde_json::Value::Null,
                |(first, last)| serde_json::json!({"first": first, "last": last}),
            );
        }
        let own: RequestView = serde_json::from_value(json)?;
        let said = self.walk.room.desk.run(&args)?;
        self.outcome.count("asked silt", 1);
        let mut wrong = Vec::new();
        let lines: Vec<&str> = said.out.lines().collect();
        let rows = own.sections.len() + 1 + own.left_out.len();
        if lines.len() != rows {
            wrong.push(format!("{rows} rows are printed as {}: {}", lines.len(), said.out));
        }
        for (line, section) in lines.iter().zip(&own.sections) {
            let begins = format!("{:>7}  ", section.tokens);
            let has = |word: &str| line.contains(word);
            if !line.starts_with(&begins)
                || !has(&section.source)
                || !has(&format!("[{}]", section.id))
            {
                wrong.push(format!(
                    "{} of {} tokens is printed as {line:?}",
                    section.id, section.tokens
                ));
            }
        }
        let sum = lines.get(own.sections.len()).copied().unwrap_or_default();
        let sums = (own.tokens.to_string(), own.budget.to_string());
        let digits = |line: &str| line.replace([',', '.', ' '], "");
        if !digits(sum).starts_with(&sums.0) || !digits(sum).contains(&sums.1) {
            wrong.push(format!("{} of {} tokens are printed as {sum:?}", own.tokens, own.budget));
        }
        // What messages brought is known in their process alone, and decides which memory goes. The letter of the seeds tells
        // a new process anew.
        let strict = self.walk.room.panel(self.walk.id).await?.strict;
        let volatile = |view: &RequestView| {
            let found = view.sections.iter().find(|it| it.kind == SectionKind::VolatileContext);
            found.map(|it| it.text.clone())
        };
        let alike = volatile(view) == volatile(&own);
        if alike && !strict && Encoding::of_model(&view.model).is_none() {
            self.outcome.count("silt knows the same", 1);
            wrong.extend(differ(&view.sections, &own.sections).map(|why| format!("silt: {why}")));
        }
        Ok(wrong)
    }
}

/// Whether the tokens of a section are counted, or never will be: pictures, what was cut and what was redacted are estimated.
fn is_counted(section: &Section) -> bool {
    let cut = matches!(section.reason, Reason::Shortened { .. });
    section.exact || cut || !section.parts.is_empty() || !section.redacted.is_empty()
}

/// Whether a passage says that it is of another conversation.
fn is_of_another(section: &Section) -> bool {
    let heading = section.text.lines().next().unwrap_or_default();
    !heading.contains("earlier in this conversation") && !heading.contains("이 대화에서")
}
