//! Other models that a question is asked of, once the reply before theirs ended.
//!
//! They are asked one after the other, as a conversation has one reply on its way: none sees what another one said, no two
//! change files at once, and each is a reply of its own to the question, which can be gone on with. What was chosen for the
//! question alone (wishes, what it brought) holds for all of them; the last one takes it along. It is kept in this process:
//! a model that was not asked before the program ended is not asked by itself later.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Mutex;

use siltstone_contract::DefaultModel;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::wish::Wishes;

use super::locked;

/// The models, by the question.
#[derive(Default)]
pub(crate) struct Also {
    waiting: Mutex<HashMap<MessageId, Others>>,
    /// Conversations in which one reply has ended and that of the next model has not begun: nothing else begins between.
    between: Mutex<HashSet<ConversationId>>,
}

#[derive(Default)]
struct Others {
    models: VecDeque<DefaultModel>,
    /// What was chosen for the question when the first was asked.
    wishes: Option<Wishes>,
    /// The first message of the last that answered.
    answered: Option<MessageId>,
}

impl Also {
    /// These are to be asked too.
    pub(crate) fn ask(&self, question: MessageId, models: Vec<DefaultModel>) {
        if !models.is_empty() {
            locked(&self.waiting).entry(question).or_default().models.extend(models);
        }
    }

    /// Those that wait, in order.
    pub(crate) fn waiting(&self, question: MessageId) -> Vec<DefaultModel> {
        let all = locked(&self.waiting);
        all.get(&question).map_or_else(Vec::new, |it| it.models.iter().cloned().collect())
    }

    /// The next of them, which is then no longer one that waits.
    pub(crate) fn next(&self, question: MessageId) -> Option<DefaultModel> {
        locked(&self.waiting).get_mut(&question)?.models.pop_front()
    }

    /// Whether several are asked this question.
    pub(crate) fn has(&self, question: MessageId) -> bool {
        locked(&self.waiting).contains_key(&question)
    }

    /// What was chosen for the question, as the first of them was asked; what is chosen afterwards is for the next one.
    pub(crate) fn chose(&self, question: MessageId, wishes: &Wishes) {
        if let Some(others) = locked(&self.waiting).get_mut(&question) {
            others.wishes.get_or_insert_with(|| wishes.clone());
        }
    }

    /// What holds for those that come after the first.
    pub(crate) fn chosen(&self, question: MessageId) -> Option<Wishes> {
        locked(&self.waiting).get(&question)?.wishes.clone()
    }

    /// One of several answered.
    pub(crate) fn answered(&self, question: MessageId, reply: MessageId) {
        if let Some(others) = locked(&self.waiting).get_mut(&question) {
            others.answered = Some(reply);
        }
    }

    /// No more are asked; gives the last that answered, and what was chosen for the question.
    pub(crate) fn end(&self, question: MessageId) -> Option<(MessageId, Wishes)> {
        let others = locked(&self.waiting).remove(&question)?;
        others.answered.zip(others.wishes)
    }

    /// A reply ends behind which the next model is asked; until [`begun`](Self::begun) the conversation is taken.
    pub(crate) fn goes_on(&self, id: ConversationId) {
        locked(&self.between).insert(id);
    }

    /// It was asked, or could not be.
    pub(crate) fn begun(&self, id: ConversationId) {
        locked(&self.between).remove(&id);
    }

    /// Whether the next model is about to be asked.
    pub(crate) fn is_between(&self, id: ConversationId) -> bool {
        locked(&self.between).contains(&id)
    }
}
