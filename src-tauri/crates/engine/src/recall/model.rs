//! The weights: a message's score is the sum of its features, each times its weight.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{Asked, Feature, Features, Index, Ranked};

static SHIPPED: LazyLock<Model> = LazyLock::new(|| {
    // A test holds that the file is read; without it, words alone decide.
    serde_json::from_str(include_str!("weights.json")).unwrap_or_else(|_| Model::words_alone())
});

/// A weight for each feature, by name; a feature without one does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Named", into = "Named")]
pub struct Model {
    weights: Vec<f32>,
}

/// How a model is written.
#[derive(Clone, Serialize, Deserialize)]
struct Named {
    weights: BTreeMap<String, f32>,
}

impl From<Named> for Model {
    fn from(named: Named) -> Self {
        let of = |it: &Feature| named.weights.get(it.name()).copied().unwrap_or(0.0);
        Self { weights: Feature::ALL.iter().map(of).collect() }
    }
}

impl From<Model> for Named {
    fn from(model: Model) -> Self {
        let names = Feature::ALL.iter().map(|it| it.name().to_owned());
        Self { weights: names.zip(model.weights).collect() }
    }
}

impl Model {
    /// The weights that come with this program.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Weights in the order of [`Feature::ALL`].
    pub fn new(weights: Vec<f32>) -> Self {
        Self { weights }
    }

    /// BM25 and nothing else.
    pub fn words_alone() -> Self {
        let one = |it: &Feature| if *it == Feature::Words { 1.0 } else { 0.0 };
        Self { weights: Feature::ALL.iter().map(one).collect() }
    }

    /// What a message with these features is worth.
    pub fn score(&self, features: &Features) -> f32 {
        self.weights.iter().zip(features.0).map(|(weight, value)| weight * value).sum()
    }
}

impl Index {
    /// The messages that may answer, best first; of equals the newer. `text` gives the text of a message by its place.
    pub fn rank<'t>(
        &self,
        question: &Asked<'_>,
        model: &Model,
        text: impl Fn(usize) -> &'t str,
    ) -> Vec<Ranked> {
        let candidates = self.candidates(question, text).into_iter();
        let mut ranked: Vec<Ranked> = candidates
            .map(|(place, features)| Ranked { place, score: model.score(&features), features })
            .collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.place.cmp(&a.place)));
        ranked
    }
}
