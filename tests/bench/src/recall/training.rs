//! The weights: a softmax over the messages of a chat is brought close to the messages that answer, by gradient descent
//! with a fixed number of steps, and weights are kept small.

use siltstone_engine::recall::trial::{Data, Trial};
use siltstone_engine::recall::{Asked, Feature, Features, Model};

const STEPS: usize = 600;
const RATE: f64 = 0.5;
/// What the square of a weight costs.
const SMALL: f64 = 0.001;
/// Signs that are known beforehand: no chat is large enough to learn that a shared word speaks against a message.
const NEVER_NEGATIVE: [Feature; 21] = [
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

/// A question with the features of every message.
pub struct Example {
    chat: String,
    features: Vec<Features>,
    right: Vec<usize>,
}

/// What there is to learn from.
pub fn examples(data: &Data) -> Vec<Example> {
    let mut examples = Vec::new();
    for chat in &data.conversations {
        let trial = Trial::of(chat);
        for question in data.questions.iter().filter(|it| it.conversation == chat.id) {
            let asked = Asked { text: &question.question, today: trial.today() };
            let found = trial.index.candidates(&asked, |place| trial.text(place));
            let right = |place: &usize| question.evidence.iter().any(|id| trial.id(*place) == id);
            examples.push(Example {
                chat: chat.id.clone(),
                right: (0..found.len()).filter(|at| right(&found[*at].0)).collect(),
                features: found.into_iter().map(|it| it.1).collect(),
            });
        }
    }
    examples
}

/// For each chat the weights of all the others.
pub fn unseen(data: &Data) -> Vec<(String, Model)> {
    let examples = examples(data);
    let without = |chat: &str| {
        let others: Vec<&Example> = examples.iter().filter(|it| it.chat != chat).collect();
        fit(&others)
    };
    data.conversations.iter().map(|chat| (chat.id.clone(), without(&chat.id))).collect()
}

/// Weights by gradient descent from nothing.
pub fn fit(examples: &[&Example]) -> Model {
    let count = Feature::ALL.len();
    let mut weights = vec![0.0_f64; count];
    let mut speed = vec![0.0_f64; count];
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
            weights[feature as usize] = weights[feature as usize].max(0.0);
        }
    }
    // Four digits are more than the data knows.
    Model::new(weights.into_iter().map(|it| ((it * 1e3).round() / 1e3) as f32).collect())
}

fn add_slope(example: &Example, weights: &[f64], count: f64, slope: &mut [f64]) {
    let score = |features: &Features| -> f64 {
        weights.iter().zip(features.0).map(|(weight, value)| weight * f64::from(value)).sum()
    };
    let scores: Vec<f64> = example.features.iter().map(score).collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let parts: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = parts.iter().sum();
    let wanted = 1.0 / example.right.len().max(1) as f64;
    for (at, features) in example.features.iter().enumerate() {
        let wanted = if example.right.contains(&at) { wanted } else { 0.0 };
        let off = (parts[at] / sum - wanted) / count;
        for (slope, value) in slope.iter_mut().zip(features.0) {
            *slope += off * f64::from(value);
        }
    }
}
