//! The weights: a stretch's score is the sum of its features, each times its weight. Where the model speaks at length,
//! other things tell than where turns are short, so each feature has a second weight, which counts by how much it does.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{Asked, Feature, Index, Ranked};

static SHIPPED: LazyLock<Model> = LazyLock::new(|| read(include_str!("weights.json")));
static WITH_MEANING: LazyLock<Model> = LazyLock::new(|| read(include_str!("weights_meant.json")));

fn read(weights: &str) -> Model {
    // A test holds that the files are read; without them, words alone decide.
    serde_json::from_str(weights).unwrap_or_else(|_| Model::words_alone())
}

/// Weights for each feature, by name; a feature without one does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Named", into = "Named")]
pub struct Model {
    weights: Vec<f32>,
    /// What is added to each where the model speaks at length.
    at_length: Vec<f32>,
}

/// How a model is written.
#[derive(Clone, Serialize, Deserialize)]
struct Named {
    weights: BTreeMap<String, f32>,
    at_length: BTreeMap<String, f32>,
}

impl From<Named> for Model {
    fn from(named: Named) -> Self {
        let of = |weights: BTreeMap<String, f32>| {
            let of = |it: &Feature| weights.get(it.name()).copied().unwrap_or(0.0);
            Feature::ALL.iter().map(of).collect()
        };
        Self { weights: of(named.weights), at_length: of(named.at_length) }
    }
}

impl From<Model> for Named {
    fn from(model: Model) -> Self {
        let named = |weights: Vec<f32>| {
            Feature::ALL.iter().map(|it| it.name().to_owned()).zip(weights).collect()
        };
        Self { weights: named(model.weights), at_length: named(model.at_length) }
    }
}

impl Model {
    /// The weights that come with this program, for where words alone are known.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Those for where it is known as well what stands out in meaning.
    pub fn with_meaning() -> &'static Self {
        &WITH_MEANING
    }

    /// Those of the two that a question asks for.
    pub fn for_asked(asked: &Asked<'_>) -> &'static Self {
        if asked.meant.is_empty() { Self::shipped() } else { Self::with_meaning() }
    }

    /// Weights in the order of [`Feature::ALL`], and what is added to each where the model speaks at length.
    pub fn new(weights: Vec<f32>, at_length: Vec<f32>) -> Self {
        Self { weights, at_length }
    }

    /// BM25 and nothing else.
    pub fn words_alone() -> Self {
        let one = |it: &Feature| if *it == Feature::Words { 1.0 } else { 0.0 };
        Self { weights: Feature::ALL.iter().map(one).collect(), at_length: Vec::new() }
    }

    /// The weights where so much of what the model says is said at length.
    fn weights_at(&self, share: f32) -> Vec<f32> {
        let more = self.at_length.iter().copied().chain(std::iter::repeat(0.0));
        self.weights.iter().zip(more).map(|(weight, more)| weight + share * more).collect()
    }
}

impl Index {
    /// The stretches that may answer, best first; of equals the newer.
    pub fn rank(&self, question: &Asked<'_>, model: &Model) -> Vec<Ranked> {
        let weights = model.weights_at(self.said_at_length());
        let candidates = self.candidates(question).into_iter();
        let mut ranked: Vec<Ranked> = candidates
            .map(|(place, features)| Ranked { place, score: features.score(&weights), features })
            .collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.place.cmp(&a.place)));
        ranked
    }
}
