//! What the person wants of single sections: a pinned message is sent whole beside the summary that stands for it, and
//! what is left out is so once.

use siltstone_contract::{Code, WishSection};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::text_of;
use siltstone_engine::project::Trust;
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::section::{LeftOutWhy, Reason, Section, SectionKind, id_of_message};
use siltstone_engine::wish::Wish;

use crate::scripted::{Scripted, Step};
use crate::summaries::{SUMMARY, by_threes, is_task, journey_with};
use crate::world::Journey;

fn answers(request: &ModelRequest) -> Vec<Step> {
    vec![Step::Say(if is_task(request) { SUMMARY } else { "It is 5433." }), Step::Finish]
}

impl Journey {
    pub async fn want(&self, conversation_id: ConversationId, id: &str, wish: Option<Wish>) {
        let source = "somewhere".to_owned();
        let request = WishSection { conversation_id, id: id.to_owned(), source, wish };
        self.app.section_wish(request).await.unwrap();
    }
}

/// What was asked last that was no summary.
fn sent(model: &Scripted) -> Vec<Section> {
    let asked = model.asked.lock().unwrap();
    asked.iter().rev().find(|request| !is_task(request)).unwrap().sections.clone()
}

fn ids(sections: &[Section]) -> Vec<&str> {
    sections.iter().map(|section| section.id.as_str()).collect()
}

#[tokio::test]
async fn a_pinned_message_goes_whole_beside_the_summary_that_stands_for_it() {
    let model = Scripted::answering(answers);
    let journey = journey_with(&model, by_threes).await;
    let id = journey.conversation(None).await;
    let plan = "It stands in the plan of the harbour. ".repeat(9);
    journey.ask_and_fold(id, &format!("Whatever happens, keep the port free. {plan}")).await;
    let first = journey.path(id).await.remove(0);
    let pinned = id_of_message(first.id);
    journey.want(id, &pinned, Some(Wish::Pinned)).await;
    for turn in 2..=4 {
        journey.ask_and_fold(id, &format!("Question {turn}?")).await;
    }
    let sections = sent(&model);
    let place = sections.iter().position(|section| section.id == pinned).unwrap();
    assert_eq!(sections[place].text, text_of(&first.parts));
    assert_eq!((&sections[place].reason, sections[place].pinned), (&Reason::Pinned, true));
    assert_eq!(sections[place - 1].kind, SectionKind::Summary, "{:?}", ids(&sections));
    assert!(sections[place - 1].text.contains(SUMMARY));
    assert_eq!(sections.iter().filter(|section| section.messages == [first.id]).count(), 1);

    // On a branch that does not hold it, it is not sent.
    let edit = siltstone_contract::EditMessage {
        id: first.id,
        text: "Something else.".to_owned(),
        attachments: None,
        context: None,
    };
    journey.app.edit(edit).await.unwrap();
    journey.settled(id).await;
    assert!(!ids(&sent(&model)).contains(&pinned.as_str()));
}

#[tokio::test]
async fn a_memory_file_is_left_out_of_the_next_request_that_is_answered_and_of_no_other() {
    let model = Scripted::answering(answers);
    let journey = journey_with(&model, |_| {}).await;
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "Which port?").await;
    let first = sent(&model);
    let memory = first.iter().find(|section| section.kind == SectionKind::Memory).unwrap();
    assert!(memory.text.contains("Never break the public API."));
    journey.want(id, &memory.id, Some(Wish::LeftOut)).await;
    let preview = journey.preview(id, "And now?").await;
    let left = preview.left_out.iter().find(|left| left.why == LeftOutWhy::ByYou).unwrap();
    assert_eq!((left.id.as_ref(), left.tokens), (Some(&memory.id), memory.tokens));

    journey.ask(id, "And now?").await;
    assert!(!sent(&model).iter().any(|section| section.text.contains("public API")));
    journey.ask(id, "And then?").await;
    assert!(ids(&sent(&model)).contains(&memory.id.as_str()));

    // Taken back before it is sent, it goes.
    journey.want(id, &memory.id, Some(Wish::LeftOut)).await;
    journey.want(id, &memory.id, None).await;
    journey.ask(id, "And at last?").await;
    assert!(ids(&sent(&model)).contains(&memory.id.as_str()));

    let own = WishSection {
        conversation_id: id,
        id: "instructions".to_owned(),
        source: "siltstone".to_owned(),
        wish: Some(Wish::LeftOut),
    };
    assert_eq!(journey.app.section_wish(own).await.unwrap_err().code, Code::BadRequest);
}
