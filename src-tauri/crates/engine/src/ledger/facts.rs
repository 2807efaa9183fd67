//! What a fold left behind, and the facts that travel with it under a budget of their own.

use std::ops::Range;

use super::{Category, Fact, Ledger, Told};

/// What a fact that is used again is worth beside one that is not.
const USED_AGAIN: f64 = 6.0;

/// What the newest fact is worth beside the oldest.
const NEWEST: f64 = 2.0;

/// The facts in force at these places that `told` does not hold: constraints and decisions first, then what is used
/// again later, paths before commands before numbers; of equals the newer.
pub fn left_behind(ledger: &Ledger, covered: Range<usize>, told: &Told) -> Vec<Fact> {
    let missing = |fact: &&Fact| !told.holds(fact.entry.category, &fact.entry.key);
    let mut left: Vec<Fact> = ledger.within(covered).filter(missing).cloned().collect();
    left.sort_by_key(|fact| {
        let category = fact.entry.category;
        let first = category <= Category::Decision;
        let again = fact.is_used_again();
        (!first, !again, category, std::cmp::Reverse(fact.last()), fact.entry.span.start)
    });
    left
}

/// Facts that were chosen to travel with a summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptFacts {
    /// The facts, in the order of the block.
    pub facts: Vec<Fact>,
    /// What the model is told, see [`block`].
    pub text: String,
    /// What it costs.
    pub tokens: u64,
}

/// Chooses what is worth most for its tokens among what was left behind. Constraints and decisions are all kept, even
/// beyond the budget; nothing else is then.
pub fn choose(
    left: &[Fact],
    budget: u64,
    language: &str,
    count: impl Fn(&str) -> u64,
) -> KeptFacts {
    let (first, rest): (Vec<&Fact>, Vec<&Fact>) =
        left.iter().partition(|fact| fact.entry.category <= Category::Decision);
    let newest = rest.iter().map(|fact| fact.last()).max().unwrap_or_default() as f64 + 1.0;
    let mut ranked: Vec<(f64, &Fact)> = rest
        .into_iter()
        .map(|fact| {
            let recency = 1.0 + (NEWEST - 1.0) * (fact.last() as f64 / newest);
            let again = if fact.is_used_again() { USED_AGAIN } else { 1.0 };
            let price = count(&fact.entry.text).saturating_add(1) as f64;
            (worth(fact.entry.category) * recency * again / price.sqrt(), fact)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));

    let told = |facts: &[&Fact]| {
        let mut facts: Vec<Fact> = facts.iter().map(|fact| (*fact).clone()).collect();
        facts.sort_by_key(|fact| (fact.entry.category, fact.mentions.first().copied()));
        let entries = facts.iter().map(|fact| (fact.entry.category, fact.entry.text.as_str()));
        let text = block(entries, language);
        KeptFacts { tokens: count(&text), facts, text }
    };
    let mut chosen = first;
    let all_of_them = chosen.len();
    let mut spent = told(&chosen).tokens;
    let mut open: Vec<Category> = Vec::new();
    for (_, fact) in ranked {
        let category = fact.entry.category;
        // What begins a kind's line is paid once.
        let line =
            if open.contains(&category) { 0 } else { count(heading(category, language)) + 2 };
        let price = count(&fact.entry.text) + 1 + line;
        if spent + price <= budget {
            spent += price;
            open.push(category);
            chosen.push(fact);
        }
    }
    // Pieces are counted one by one, and may cost a little more together.
    loop {
        let kept = told(&chosen);
        if kept.tokens <= budget || chosen.len() <= all_of_them {
            return kept;
        }
        chosen.pop();
    }
}

/// What an entry is worth by its kind.
fn worth(category: Category) -> f64 {
    match category {
        Category::Constraint | Category::Decision => 8.0,
        Category::Path | Category::Command => 4.0,
        Category::Number => 3.0,
        Category::Question | Category::Error => 2.0,
        Category::Url | Category::Version | Category::Date => 1.5,
        Category::Identifier | Category::Quote | Category::Name => 1.0,
    }
}

/// Facts as a model is told them: one line a constraint, a decision or a question, one line for all of another kind.
/// Each stands there word for word; the same facts give the same text. Empty for none.
pub fn block<'a>(facts: impl IntoIterator<Item = (Category, &'a str)>, language: &str) -> String {
    let mut facts: Vec<(Category, &str)> = facts.into_iter().collect();
    facts.sort_by_key(|(category, _)| *category);
    let mut text = String::new();
    let mut before = None;
    for (category, fact) in facts {
        let fact = fact.trim();
        if before == Some(category) && !category.is_statement() {
            text.push_str(" · ");
        } else {
            if before.is_some() {
                text.push('\n');
            }
            text.push_str("- ");
            text.push_str(heading(category, language));
            text.push_str(": ");
        }
        text.push_str(fact);
        before = Some(category);
    }
    text
}

fn heading(category: Category, language: &str) -> &'static str {
    if language != "ko" {
        return match category {
            Category::Constraint => "Rule",
            Category::Decision => "Decided",
            Category::Question => "Open",
            Category::Path => "Paths",
            Category::Command => "Commands",
            Category::Number => "Numbers",
            Category::Error => "Errors",
            Category::Identifier => "Names in code",
            Category::Url => "Addresses",
            Category::Version => "Versions",
            Category::Date => "Dates",
            Category::Quote => "Quotes",
            Category::Name => "Names",
        };
    }
    match category {
        Category::Constraint => "규칙",
        Category::Decision => "결정",
        Category::Question => "미정",
        Category::Path => "경로",
        Category::Command => "명령",
        Category::Number => "수치",
        Category::Error => "오류",
        Category::Identifier => "코드 이름",
        Category::Url => "주소",
        Category::Version => "버전",
        Category::Date => "날짜",
        Category::Quote => "인용",
        Category::Name => "이름",
    }
}
