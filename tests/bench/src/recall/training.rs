//! The weights: a softmax over the stretches of a chat is brought close to those that answer, by gradient descent with a
//! fixed number of steps, and weights are kept small. Of a long message the stretches answer that say most of the answer's
//! words; where several do, or none, it is left to the weights which of them it is.

use std::collections::HashMap;

use siltstone_engine::recall::trial::{Data, Trial};
use siltstone_engine::recall::{Feature, Features, Model};

use super::meaning::Meaning;
use super::scoring::answering;

const STEPS: usize = 400;
/// Stretches of a chat that are compared with those that answer.
const COMPARED: usize = 240;
/// Parts into which chats are divided, each asked with weights of the others.
const FOLDS: usize = 6;
const RATE: f64 = 0.5;
/// What the square of a weight costs.
const SMALL: f64 = 0.001;
/// Signs that are known beforehand: no chat is large enough to learn that a shared word speaks against a message.
const NEVER_NEGATIVE: [Feature; 28] = [
    Feature::Meant,
    Feature::MeantBest,
    Feature::MeantMet,
    Feature::MeantBefore,
    Feature::MeantWhole,
    Feature::Whole,
    Feature::WholeMet,
    Feature::Met,
    Feature::MetAround,
    Feature::MetBefore,
    Feature::Topic,
    Feature::Kind,
    Feature::Words,
    Feature::Coverage,
    Feature::Window,
    Feature::Before,
    Feature::After,
    Feature::Answers,
    Feature::Session,
    Feature::Near,
    Feature::Phrase,
    Feature::Beginnings,
    Feature::Sounds,
    Feature::Alike,
    Feature::AlikeAround,
    Feature::Named,
    Feature::OnDay,
    Feature::NearDay,
];

/// A question with the features of stretches.
pub struct Example {
    chat: String,
    /// How far the model speaks at length there.
    at_length: f64,
    features: Vec<Features>,
    /// For each message that answers, the stretches of it that may.
    right: Vec<Vec<usize>>,
}

/// What there is to learn from, by words alone or with what stands out in meaning.
pub fn examples(data: &Data, meaning: Option<&Meaning>) -> Vec<Example> {
    let mut examples = Vec::new();
    for chat in &data.conversations {
        let trial = Trial::of(chat);
        for question in data.questions.iter().filter(|it| it.conversation == chat.id) {
            let meant = meaning.map(|it| it.meant(question)).unwrap_or_default();
            let asked = trial.asked(&question.question, &meant);
            let mut found = trial.index.candidates(&asked);
            let of = |place: usize| trial.index.stretch(place);
            let right: Vec<usize> =
                question.evidence.iter().filter_map(|id| trial.place(id)).collect();
            found.sort_by(|one, other| guess(&other.1).total_cmp(&guess(&one.1)));
            let mut compared = 0;
            found.retain(|(place, _)| {
                compared += 1;
                compared <= COMPARED || right.contains(&of(*place).0)
            });
            let stretches = |message: usize| -> Vec<usize> {
                let text = trial.text(message);
                let key = answering(text, &question.question, &question.answer);
                let is_key = |at: &usize| key.is_empty() || key.contains(&of(found[*at].0).1);
                let own = (0..found.len()).filter(|at| of(found[*at].0).0 == message);
                own.filter(is_key).collect()
            };
            let right = right.into_iter().map(stretches).filter(|it| !it.is_empty()).collect();
            examples.push(Example {
                chat: chat.id.clone(),
                at_length: f64::from(trial.index.said_at_length()),
                right,
                features: found.into_iter().map(|it| it.1).collect(),
            });
        }
    }
    examples.retain(|it| !it.right.is_empty());
    examples
}

/// A first guess, by which few are chosen from many.
fn guess(features: &Features) -> f32 {
    let of = [Feature::Words, Feature::Met, Feature::Topic, Feature::MeantBest];
    of.into_iter().map(|it| features.of(it)).sum()
}

/// For each chat weights that never saw it.
pub fn unseen(data: &Data, meaning: Option<&Meaning>) -> Vec<(String, Model)> {
    let examples = examples(data, meaning);
    let chats = data.conversations.iter().enumerate();
    let fold: HashMap<&str, usize> = chats.map(|(at, it)| (it.id.as_str(), at % FOLDS)).collect();
    let without = |at: usize| {
        let others = examples.iter().filter(|it| fold[it.chat.as_str()] != at);
        fit(&others.collect::<Vec<_>>())
    };
    let models: Vec<Model> = (0..FOLDS).map(without).collect();
    let chats = data.conversations.iter();
    chats.map(|chat| (chat.id.clone(), models[fold[chat.id.as_str()]].clone())).collect()
}

/// Weights by gradient descent from nothing.
pub fn fit(examples: &[&Example]) -> Model {
    let count = Feature::ALL.len();
    let mut weights = vec![0.0_f64; 2 * count];
    let mut speed = vec![0.0_f64; 2 * count];
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights.iter().map(|weight| SMALL * weight).collect();
        for example in examples {
            add_slope(example, &weights, examples.len() as f64, &mut slope);
        }
        for ((weight, speed), slope) in weights.iter_mut().zip(&mut speed).zip(slope) {
            *speed = 0.9 * *speed - RATE * slope;
            *weight += *speed;
        }
        for feature in NEVER_NEGATIVE {
            let at = feature as usize;
            weights[at] = weights[at].max(0.0);
            weights[count + at] = weights[count + at].max(-weights[at]);
        }
    }
    // Four digits are more than the data knows.
    let short =
        |weights: &[f64]| weights.iter().map(|it| ((it * 1e3).round() / 1e3) as f32).collect();
    Model::new(short(&weights[..count]), short(&weights[count..]))
}

fn add_slope(example: &Example, weights: &[f64], count: f64, slope: &mut [f64]) {
    let (weights, more) = weights.split_at(weights.len() / 2);
    let weights: Vec<f64> =
        weights.iter().zip(more).map(|(weight, more)| weight + example.at_length * more).collect();
    let score = |features: &Features| -> f64 {
        weights.iter().zip(features.0).map(|(weight, value)| weight * f64::from(value)).sum()
    };
    let scores: Vec<f64> = example.features.iter().map(score).collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let parts: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = parts.iter().sum();
    let mut off: Vec<f64> = parts.iter().map(|part| part / sum).collect();
    for stretches in &example.right {
        let own: f64 = stretches.iter().map(|at| parts[*at]).sum();
        let share = 1.0 / (example.right.len() as f64 * own.max(f64::MIN_POSITIVE));
        stretches.iter().for_each(|at| off[*at] -= parts[*at] * share);
    }
    let (slope, more) = slope.split_at_mut(weights.len());
    for (features, off) in example.features.iter().zip(off) {
        let off = off / count;
        for ((slope, more), value) in slope.iter_mut().zip(more.iter_mut()).zip(features.0) {
            let step = off * f64::from(value);
            *slope += step;
            *more += step * example.at_length;
        }
    }
}
