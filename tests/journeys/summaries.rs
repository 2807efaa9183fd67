//! What a conversation is told by, under every policy: what is shown is what is sent, and nothing is lost on the way.

use std::collections::HashSet;
use std::sync::Arc;

use siltstone_contract::{
    Code, ConversationRef, EditMessage, EditSummary, MessageRef, PreviewRequest, RequestView,
    SendMessage, SetFolding, SummaryPanel, SummaryRef, TrySummary, TurnRef, UnfoldSummary,
};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::MessageStatus;
use siltstone_engine::provider::{ModelInfo, ModelRequest, ProviderKind, ProviderRecord};
use siltstone_engine::section::{LeftOut, LeftOutWhy, Reason, Section, SectionKind};
use siltstone_engine::settings::Settings;
use siltstone_engine::summary::{Policy, Rate, Status};
use siltstone_engine::turn::Usage;

use crate::scripted::{Scripted, Step};
use crate::world::{Journey, app_on};

/// Some hundred tokens.
const REPLY: &str = "The session module refreshes its token after thirty minutes, and nobody wanted a second timer. \
     We agreed on Tuesday that the database listens on port 5433, because 5432 is taken by the old server, which has \
     to stay until the last import has run. Whoever changes the refresh path has to tell the gateway first: it keeps \
     the old token for ninety seconds and answers with 401 afterwards. The retry runs at most four times.";

pub const SUMMARY: &str = "Agreed: tokens last 30 minutes; the database is on port 5433.";

/// What goes with every summary of those replies: what was agreed on in them.
const KEPT: &str = "Kept facts:\n- Decided: We agreed on Tuesday that the database listens on port 5433, because 5432 is \
     taken by the old server, which has to stay until the last import has run.";

pub fn is_task(request: &ModelRequest) -> bool {
    matches!(request.sections.as_slice(), [only] if only.id == "task")
}

/// Answers questions at length and summarises in one sentence; counts a third more tokens than we estimate.
pub fn talkative(request: &ModelRequest) -> Vec<Step> {
    let estimated: u64 = request.sections.iter().map(|section| section.tokens).sum();
    let usage =
        Usage { input_tokens: estimated, output_tokens: 100, exact: true, ..Usage::default() };
    let said = if is_task(request) { SUMMARY } else { REPLY };
    vec![Step::Say(said), Step::Count(usage), Step::Finish]
}

/// A journey with `model` behind a server on this computer.
pub async fn journey_with(model: &Scripted, change: impl FnOnce(&mut Settings)) -> Journey {
    let journey = Journey::with(Arc::new(model.clone()));
    let record = ProviderRecord {
        name: "work".into(),
        kind: ProviderKind::Openai,
        base_url: "http://127.0.0.1:9/v1".into(),
    };
    journey.app.provider_add(record).await.unwrap();
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.default_provider = "work".into();
    settings.default_model = "small".into();
    change(&mut settings);
    journey.app.settings_set(settings).await.unwrap();
    journey
}

/// A segment for every three turns, as the seed counts them, and not by the window.
pub fn by_threes(settings: &mut Settings) {
    settings.summary.policy = Policy::Segments;
    settings.summary.by_numbers = Some(true);
}

impl Journey {
    /// Asks and waits until all that is due afterwards is summarised.
    pub async fn ask_and_fold(&self, id: ConversationId, text: &str) {
        let reply = self.ask(id, text).await;
        assert_eq!(reply.status, MessageStatus::Complete, "{:?}", reply.fault);
        self.app.summaries_settled(id).await;
    }

    pub async fn panel(&self, id: ConversationId) -> SummaryPanel {
        self.app.summary_list(ConversationRef { id }).await.unwrap()
    }

    pub async fn preview(&self, id: ConversationId, draft: &str) -> RequestView {
        let request =
            PreviewRequest { conversation_id: id, draft: draft.into(), context: None, model: None };
        self.app.request_preview(request).await.unwrap()
    }
}

pub fn question(turn: usize) -> String {
    format!("Question {turn}: what about the refresh path of module {turn}?")
}

pub fn texts(sections: &[Section]) -> Vec<(SectionKind, &str)> {
    sections.iter().map(|section| (section.kind, section.text.as_str())).collect()
}

fn shown(sections: &[Section]) -> Vec<MessageId> {
    sections.iter().flat_map(|section| section.messages.clone()).collect()
}

/// Twelve turns under a policy. Before each the request is looked at, and afterwards what was sent.
async fn twelve_turns(policy: Policy) -> (Journey, ConversationId, Scripted) {
    let model = Scripted::answering(talkative);
    let window = ModelInfo { context_window: Some(1_600), ..ModelInfo::named("small") };
    *model.offers.lock().unwrap() = vec![window];
    let journey = journey_with(&model, |settings| {
        settings.summary.policy = policy;
        settings.summary.by_numbers = Some(true);
        settings.summary.window_keep = 300;
        // The window is small, and all of it is the conversation's.
        settings.tools.on = false;
    })
    .await;
    let id = journey.conversation(None).await;
    for turn in 1..=12 {
        let before = journey.preview(id, &question(turn)).await;
        journey.ask_and_fold(id, &question(turn)).await;
        let asked: Vec<ModelRequest> = {
            let mut all = model.asked.lock().unwrap();
            all.drain(..).filter(|request| !is_task(request)).collect()
        };
        let [sent] = asked.as_slice() else { panic!("{} questions", asked.len()) };
        assert_eq!(texts(&before.sections), texts(&sent.sections), "{policy:?}, turn {turn}");
        assert!(before.tokens <= before.budget, "{policy:?}, turn {turn}");
        assert_eq!(sent.sections.last().unwrap().text, question(turn));

        let path = journey.path(id).await;
        let turn_id = path.last().unwrap().turn_id.unwrap();
        let rebuilt = journey.app.request_sent(TurnRef { id: turn_id }).await.unwrap();
        let rebuilt: Vec<&str> =
            rebuilt.sections.iter().map(|sent| sent.text.as_deref().unwrap_or("gone")).collect();
        let as_sent: Vec<&str> = sent.sections.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(rebuilt, as_sent, "{policy:?}, turn {turn}");
    }
    (journey, id, model)
}

#[tokio::test]
async fn rolling_tells_everything_and_its_newest_version_stands_for_all_before_it() {
    let (journey, id, _) = twelve_turns(Policy::Rolling).await;
    let panel = journey.panel(id).await;
    assert!(panel.records.len() >= 2, "{}", panel.records.len());
    assert!(panel.records.iter().all(|record| record.status == Status::Completed));
    let [shown_id] = panel.shown.as_slice() else { panic!("{:?}", panel.shown) };
    let newest = panel.records.last().unwrap();
    assert_eq!((newest.id, u64::from(newest.version)), (*shown_id, panel.records.len() as u64));
    assert_eq!((newest.coverage.start, newest.coverage.end()), (0, panel.first_raw));
    assert_eq!(newest.model.as_deref(), Some("small"));

    // The gap of the Rolling design: every message is told, or sent whole.
    let request = journey.preview(id, "And now?").await;
    assert!(request.left_out.iter().all(|left| left.why == LeftOutWhy::Summarised));
    let path = journey.path(id).await;
    let raw: Vec<MessageId> = path[panel.first_raw as usize..].iter().map(|it| it.id).collect();
    assert_eq!(shown(&request.sections), raw);
    let summary = request.sections.iter().find(|it| it.kind == SectionKind::Summary).unwrap();
    assert_eq!(summary.turns, newest.turns);
    assert_eq!(summary.link, Some(format!("silt:summary/{}", newest.id)));
}

#[tokio::test]
async fn segments_stand_for_three_turns_each_and_only_the_last_turns_are_whole() {
    let (journey, id, _) = twelve_turns(Policy::Segments).await;
    let panel = journey.panel(id).await;
    let spans: Vec<(u32, u32)> =
        panel.records.iter().map(|it| it.turns.unwrap()).map(|it| (it.first, it.last)).collect();
    assert_eq!(spans, [(1, 3), (4, 6), (7, 9), (10, 12)]);
    assert_eq!((panel.statistics.count, panel.statistics.turns), (4, 12));
    assert!(panel.statistics.saved_percent > 50, "{:?}", panel.statistics);
    let request = journey.preview(id, "And now?").await;
    let told: Vec<&Section> =
        request.sections.iter().filter(|it| it.kind == SectionKind::Summary).collect();
    assert_eq!(told.len(), 4);
    assert!(told[3].text.starts_with("[Turns 10-12] "), "{}", told[3].text);
    let path = journey.path(id).await;
    let newest: Vec<MessageId> = path[20..].iter().map(|it| it.id).collect();
    assert_eq!(shown(&request.sections), newest, "the last two turns go whole beside them");
}

#[tokio::test]
async fn running_keeps_a_small_window_and_one_short_summary() {
    let (journey, id, _) = twelve_turns(Policy::Running).await;
    let panel = journey.panel(id).await;
    assert_eq!(panel.shown.len(), 1);
    let request = journey.preview(id, "And now?").await;
    assert!(request.sections.iter().any(|it| it.text == format!("SUMMARY: {SUMMARY}\n{KEPT}")));
    let raw = request.sections.iter().filter(|it| it.kind == SectionKind::Turn);
    assert!(raw.map(|section| section.tokens).sum::<u64>() <= 450);
    assert!(request.left_out.iter().all(|left| left.why == LeftOutWhy::Summarised));
}

#[tokio::test]
async fn policies_without_summaries_send_what_fits_and_say_what_does_not() {
    for policy in [Policy::Window, Policy::Importance, Policy::Summarise, Policy::None] {
        let (journey, id, model) = twelve_turns(policy).await;
        assert_eq!(journey.panel(id).await.records, [], "{policy:?}");
        assert!(model.asked.lock().unwrap().is_empty(), "nobody was asked for a summary");
        let request = journey.preview(id, "And now?").await;
        let key = request.sections.iter().find(|it| it.kind == SectionKind::Summary);
        assert_eq!(key.is_some(), policy == Policy::Summarise, "{policy:?}");
        let why = match policy {
            Policy::Summarise => LeftOutWhy::Summarised,
            _ => LeftOutWhy::NoRoom,
        };
        // Where messages are chosen by what they are worth, the best of the rest say what that is.
        let (passed, rest): (Vec<&LeftOut>, Vec<&LeftOut>) =
            request.left_out.iter().partition(|left| left.worth.is_some());
        assert_eq!(!passed.is_empty(), policy == Policy::Importance, "{policy:?}");
        assert!(passed.iter().all(|left| left.why == why && left.id.is_some()), "{passed:?}");
        let left: Vec<LeftOutWhy> = rest.iter().map(|left| left.why).collect();
        assert!(left == [why] || (left.is_empty() && passed.len() < 8), "{policy:?}: {left:?}");
        let path: Vec<MessageId> = journey.path(id).await.iter().map(|it| it.id).collect();
        let sent = shown(&request.sections);
        let by_time: Vec<MessageId> = path.iter().copied().filter(|id| sent.contains(id)).collect();
        assert_eq!(sent, by_time, "{policy:?}");
        if policy != Policy::Importance {
            assert_eq!(sent, path[path.len() - sent.len()..], "no hole under {policy:?}");
        }
    }
}

#[tokio::test]
async fn every_branch_has_the_summaries_that_it_holds_whole() {
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, by_threes).await;
    let id = journey.conversation(None).await;
    for turn in 1..=4 {
        journey.ask_and_fold(id, &question(turn)).await;
    }
    let before = journey.panel(id).await;
    let path = journey.path(id).await;
    assert_eq!((before.shown.len(), before.first_raw), (1, 6));

    // After the folded stretch: it holds here too.
    let fourth = EditMessage {
        id: path[6].id,
        text: "Another fourth".into(),
        attachments: None,
        context: None,
    };
    journey.app.edit(fourth).await.unwrap();
    journey.settled(id).await;
    assert_eq!(journey.panel(id).await.shown, before.shown);

    // Inside of it: nothing holds, and the turns are counted anew.
    let second = EditMessage {
        id: path[2].id,
        text: "Another second".into(),
        attachments: None,
        context: None,
    };
    journey.app.edit(second).await.unwrap();
    journey.settled(id).await;
    let other = journey.panel(id).await;
    assert_eq!((other.shown.len(), other.records.len(), other.first_raw), (0, 0, 0));
    journey.ask_and_fold(id, "Another third").await;
    let folded = journey.panel(id).await;
    let [record] = folded.records.as_slice() else { panic!("{:?}", folded.records) };
    assert_eq!(record.coverage.last, journey.path(id).await[5].id);
    assert_ne!(before.shown, folded.shown);

    journey.app.branch_switch(MessageRef { id: path[7].id }).await.unwrap();
    let again = journey.panel(id).await;
    assert_eq!((again.shown, again.first_raw), (before.shown, 6));
    let request = journey.preview(id, "And now?").await;
    let newest: Vec<MessageId> = path[4..].iter().map(|it| it.id).collect();
    assert_eq!(shown(&request.sections), newest, "the last two turns go whole");
}

#[tokio::test]
async fn what_a_person_does_to_summaries_makes_versions_and_loses_nothing() {
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, by_threes).await;
    let app = &journey.app;
    let id = journey.conversation(None).await;
    for turn in 1..=4 {
        journey.ask_and_fold(id, &question(turn)).await;
    }
    let first = journey.panel(id).await.records[0].clone();
    let told = || async {
        let request = journey.preview(id, "And now?").await;
        let told = request.sections.into_iter().find(|it| it.kind == SectionKind::Summary);
        told.map(|section| (section.text, section.reason))
    };

    let edit = EditSummary { id: first.id, text: "Only the port matters: 5433.".into() };
    let edited = app.summary_edit(edit).await.unwrap();
    assert!(edited.edited && edited.version == 2 && edited.model.is_none());
    let (text, reason) = told().await.unwrap();
    assert!(text.ends_with(&format!("Only the port matters: 5433.\n{KEPT}")), "{text}");
    assert_eq!(reason, Reason::Summary { version: 2 });

    // A candidate stands for nothing until it is adopted.
    let rate = Rate::from(0.5);
    let candidate = app.summary_try(TrySummary { id: first.id, rate }).await.unwrap();
    assert_eq!((candidate.compression_rate, candidate.status), (rate, Status::Completed));
    assert_eq!(journey.panel(id).await.shown, [edited.id]);
    let adopted = app.summary_adopt(SummaryRef { id: candidate.id }).await.unwrap();
    assert_eq!((adopted.version, adopted.summary), (3, candidate.summary));
    assert_eq!(journey.panel(id).await.shown, [adopted.id]);
    let back = app.summary_adopt(SummaryRef { id: first.id }).await.unwrap();
    assert_eq!((back.version, back.summary), (4, first.summary.clone()));

    app.summary_retry(SummaryRef { id: back.id }).await.unwrap();
    app.summaries_settled(id).await;
    // Whatever was paid for it counts: the first, the candidate and the last; what was taken over again was paid for once.
    let panel = journey.panel(id).await;
    let last = panel.records.last().unwrap().usage;
    let paid = [first.usage, candidate.usage, last].map(|usage| usage.unwrap());
    let paid: u64 = paid.iter().map(|usage| usage.input_tokens + usage.output_tokens).sum();
    assert!(panel.spent_tokens == paid && paid > panel.statistics.spent_tokens, "{panel:?}");
    let versions: Vec<u32> =
        journey.panel(id).await.records.iter().map(|record| record.version).collect();
    assert_eq!(versions, [1, 2, 3, 4, 5]);

    let newest = journey.panel(id).await.shown[0];
    app.summary_unfold(UnfoldSummary { id: newest, unfolded: true }).await.unwrap();
    assert_eq!(told().await, None);
    let panel = journey.panel(id).await;
    assert_eq!((panel.first_raw, panel.shown.len()), (0, 1));
    let request = journey.preview(id, "And now?").await;
    assert_eq!(shown(&request.sections).len(), 8, "all messages are sent whole");
    app.summary_unfold(UnfoldSummary { id: newest, unfolded: false }).await.unwrap();
    assert!(told().await.is_some());
}

#[tokio::test]
async fn policy_and_rate_are_the_conversations_own_and_a_changed_rate_discards_what_was_made_ahead()
{
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, by_threes).await;
    let id = journey.conversation(None).await;
    for turn in 1..=3 {
        journey.ask_and_fold(id, &question(turn)).await;
    }
    assert_eq!(journey.panel(id).await.shown.len(), 1, "made as soon as the third turn closed");
    let rate = Some(Rate::from(0.1));
    let set = SetFolding { conversation_id: id, policy: None, rate, strict: None, recall: None };
    let panel = journey.app.folding_set(set).await.unwrap();
    assert_eq!((panel.shown.len(), panel.follows_default, Some(panel.rate)), (0, false, rate));

    model.asked.lock().unwrap().clear();
    journey.ask_and_fold(id, &question(4)).await;
    let asked = model.asked.lock().unwrap().iter().map(is_task).collect::<Vec<_>>();
    assert_eq!(asked, [true, false], "the question waited for the new one");
    let panel = journey.panel(id).await;
    assert_eq!(panel.records[0].compression_rate, panel.rate);

    let set = SetFolding {
        conversation_id: id,
        policy: Some(Policy::None),
        rate: None,
        strict: None,
        recall: None,
    };
    let panel = journey.app.folding_set(set).await.unwrap();
    assert_eq!((panel.policy, panel.distance, panel.records.len()), (Policy::None, None, 1));
    let request = journey.preview(id, "And now?").await;
    assert_eq!(shown(&request.sections).len(), 8);
}

#[tokio::test]
async fn another_process_and_a_later_one_see_the_same() {
    let (journey, id, model) = twelve_turns(Policy::Rolling).await;
    let before = (journey.panel(id).await, journey.preview(id, "And now?").await);
    let other = app_on(journey.data.path(), Arc::new(model.clone()));
    // What a model's window is, is asked anew.
    let request = PreviewRequest {
        conversation_id: id,
        draft: "And now?".into(),
        context: None,
        model: None,
    };
    let preview = other.request_preview(request).await.unwrap();
    let panel = other.summary_list(ConversationRef { id }).await.unwrap();
    assert_eq!(panel, before.0);
    assert_eq!(texts(&preview.sections), texts(&before.1.sections));
}

#[tokio::test]
async fn estimates_follow_what_the_provider_counts() {
    let model = Scripted::answering(|request| {
        let estimated = request.sections.iter().map(|it| it.tokens).sum::<u64>();
        let counted = Usage { input_tokens: estimated * 3 / 2, exact: true, ..Usage::default() };
        vec![Step::Say(REPLY), Step::Count(counted), Step::Finish]
    });
    let journey = journey_with(&model, |settings| settings.summary.policy = Policy::None).await;
    let id = journey.conversation(None).await;
    let first = journey.preview(id, "How many?").await;
    journey.ask(id, "How many?").await;
    let later = journey.preview(id, "How many?").await;
    let of = |view: &RequestView| view.sections[0].tokens;
    assert!(of(&later) > of(&first), "{} after {}", of(&later), of(&first));
    assert_eq!(later.sections.iter().map(|it| it.tokens).sum::<u64>(), later.tokens);
    let ids: HashSet<&str> = later.sections.iter().map(|section| section.id.as_str()).collect();
    assert_eq!(ids.len(), later.sections.len());
}

#[tokio::test]
async fn a_message_that_cannot_fit_is_refused_with_the_largest_blocks_before_anything_is_sent() {
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, |_| {}).await;
    let id = journey.conversation(None).await;
    let huge = "refresh the token ".repeat(9_000);
    let request = journey.preview(id, &huge).await;
    assert!(request.tokens > request.budget, "the pane shows by how much");
    let send = SendMessage {
        conversation_id: id,
        text: huge,
        attachments: Vec::new(),
        context: None,
        also: Vec::new(),
    };
    let refused = journey.app.send(send).await.unwrap_err();
    assert_eq!(refused.code, Code::ContextOverflow);
    assert!(refused.message.contains("the largest: composer ("), "{}", refused.message);
    assert!(model.asked.lock().unwrap().is_empty());
    assert!(journey.path(id).await.is_empty(), "nothing of it is durable");
}
