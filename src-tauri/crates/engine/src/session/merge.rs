//! Two states of one file brought together: what both began with, and what each made of it.
//!
//! Lists of things with an id are merged thing by thing, other lists keep what either side added, counters add up, and
//! of a text that both changed ours stays and the other is told as a conflict. So what nobody changed on one side is
//! taken from the other, and nothing that was added is lost. No clock decides.

use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::workflow::{Workflow, next_id};

/// Numbers that grow by what happens, so what happened on both sides adds up.
const COUNTERS: [&str; 3] = ["dialog_turns", "total_tokens", "revision"];

/// A time that both sides write whatever they do; the later text is as good as the other.
const UPDATED: &str = "updated_at";

/// Two states in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged<T> {
    /// What they make together.
    pub file: T,
    /// Where they contradict each other; ours is in the file.
    pub conflicts: Vec<MergeConflict>,
}

/// A place that both sides changed, each otherwise.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MergeConflict {
    /// The place, such as `plans.plan_001.title`.
    pub at: String,
    /// What we have.
    pub ours: String,
    /// What the others have.
    pub theirs: String,
}

/// Merges two states of a workflow. A thing that both sides added under one id is two things; theirs gets another id.
pub fn merge_workflows(
    base: &Workflow,
    ours: &Workflow,
    theirs: &Workflow,
) -> serde_json::Result<Merged<Workflow>> {
    let mut theirs = theirs.clone();
    renumber(base, ours, &mut theirs);
    merge(base, ours, &theirs)
}

/// Merges two states of a file.
pub fn merge<T: Serialize + DeserializeOwned>(
    base: &T,
    ours: &T,
    theirs: &T,
) -> serde_json::Result<Merged<T>> {
    let value = |file: &T| serde_json::to_value(file);
    let (base, ours, theirs) = (value(base)?, value(ours)?, value(theirs)?);
    let mut conflicts = Vec::new();
    let merged = merge_values(Some(&base), Some(&ours), Some(&theirs), "", &mut conflicts);
    Ok(Merged { file: serde_json::from_value(merged.unwrap_or(ours))?, conflicts })
}

/// `None` is a field or a thing that is not there.
fn merge_values(
    base: Option<&Value>,
    ours: Option<&Value>,
    theirs: Option<&Value>,
    at: &str,
    conflicts: &mut Vec<MergeConflict>,
) -> Option<Value> {
    if ours == theirs || theirs == base {
        return ours.cloned();
    }
    if ours == base {
        return theirs.cloned();
    }
    let key = at.rsplit('.').next().unwrap_or(at);
    match (ours, theirs) {
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let none = Map::new();
            let base = base.and_then(Value::as_object).unwrap_or(&none);
            Some(Value::Object(merge_fields(base, ours, theirs, at, conflicts)))
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs))) => {
            let base = base.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            Some(Value::Array(merge_lists(base, ours, theirs, at, conflicts)))
        }
        (Some(Value::Number(ours)), Some(Value::Number(theirs))) if COUNTERS.contains(&key) => {
            let number = |number: Option<u64>| number.unwrap_or(0);
            let (ours, theirs) = (number(ours.as_u64()), number(theirs.as_u64()));
            let base = number(base.and_then(Value::as_u64));
            Some(ours.saturating_add(theirs.saturating_sub(base)).into())
        }
        (Some(Value::String(ours)), Some(Value::String(theirs))) if key == UPDATED => {
            Some(ours.max(theirs).as_str().into())
        }
        _ => {
            conflicts.push(MergeConflict {
                at: at.to_owned(),
                ours: shown(ours),
                theirs: shown(theirs),
            });
            // What one side deleted and the other changed is still wanted by somebody.
            ours.or(theirs).cloned()
        }
    }
}

fn merge_fields(
    base: &Map<String, Value>,
    ours: &Map<String, Value>,
    theirs: &Map<String, Value>,
    at: &str,
    conflicts: &mut Vec<MergeConflict>,
) -> Map<String, Value> {
    let new = theirs.keys().filter(|key| !ours.contains_key(*key));
    ours.keys()
        .chain(new)
        .filter_map(|key| {
            let (base, ours, theirs) = (base.get(key), ours.get(key), theirs.get(key));
            let merged = merge_values(base, ours, theirs, &below(at, key), conflicts)?;
            Some((key.clone(), merged))
        })
        .collect()
}

/// In our order; what only they have comes after what stands before it there, or at the end.
fn merge_lists(
    base: &[Value],
    ours: &[Value],
    theirs: &[Value],
    at: &str,
    conflicts: &mut Vec<MergeConflict>,
) -> Vec<Value> {
    let find = |list: &[Value], name: &Value| list.iter().find(|it| named(it) == *name).cloned();
    // Where only the others moved things, theirs is the order.
    let order = |list: &[Value]| -> Vec<Value> {
        list.iter().map(named).filter(|name| find(base, name).is_some()).collect()
    };
    let moved = order(ours) == order(base) && order(theirs) != order(base);
    let (first, second) = if moved { (theirs, ours) } else { (ours, theirs) };
    let mut names: Vec<Value> = first.iter().map(named).collect();
    let second: Vec<Value> = second.iter().map(named).collect();
    // What was added at the end stays there, whatever stands before it by now.
    let last_known = second.iter().rposition(|name| names.contains(name));
    let mut after = 0;
    for (place, name) in second.into_iter().enumerate() {
        match names.iter().position(|known| *known == name) {
            Some(known) => after = known + 1,
            None if last_known.is_none_or(|last| place > last) => names.push(name),
            None => {
                names.insert(after, name);
                after += 1;
            }
        }
    }
    names
        .iter()
        .filter_map(|name| {
            let [base, ours, theirs] = [base, ours, theirs].map(|list| find(list, name));
            let at = below(at, name.as_str().unwrap_or_default());
            merge_values(base.as_ref(), ours.as_ref(), theirs.as_ref(), &at, conflicts)
        })
        .collect()
}

/// What makes a thing of a list the same thing: its id, or all it is.
fn named(item: &Value) -> Value {
    item.get("id").unwrap_or(item).clone()
}

fn below(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Gives things another id that both sides added under one.
fn renumber(base: &Workflow, ours: &Workflow, theirs: &mut Workflow) {
    let mut renamed: HashMap<String, String> = HashMap::new();
    let taken = [ids(ours), ids(theirs)].concat();
    for (kind, id) in ids(theirs) {
        let is_new = |known: &Workflow| !ids(known).iter().any(|(_, other)| *other == id);
        let is_other = content(ours, &id) != content(theirs, &id);
        if is_new(base) && !is_new(ours) && is_other {
            let known = taken.iter().map(|(_, id)| id).chain(renamed.values());
            let new = next_id(kind, known.map(String::as_str));
            renamed.insert(id, new);
        }
    }
    let rename = |id: &mut String| {
        if let Some(new) = renamed.get(id) {
            new.clone_into(id);
        }
    };
    theirs.current_plan_id.iter_mut().chain(&mut theirs.current_task_id).for_each(rename);
    for plan in &mut theirs.plans {
        rename(&mut plan.id);
        for task in &mut plan.tasks {
            rename(&mut task.id);
            task.depends_on.iter_mut().for_each(rename);
        }
    }
    for decision in &mut theirs.decisions {
        rename(&mut decision.id);
        decision.plan_id.iter_mut().for_each(rename);
    }
}

/// Everything that has an id, with its kind.
fn ids(workflow: &Workflow) -> Vec<(&'static str, String)> {
    let plans = workflow.plans.iter().map(|plan| ("plan", plan.id.clone()));
    let tasks = workflow.tasks().map(|task| ("task", task.id.clone()));
    let decisions = workflow.decisions.iter().map(|it| ("decision", it.id.clone()));
    plans.chain(tasks).chain(decisions).collect()
}

/// What a thing is, apart from its id and what lies in it.
fn content(workflow: &Workflow, id: &str) -> Option<String> {
    let plan = workflow.plan(id).map(|plan| plan.title.clone());
    let task = || workflow.task(id).map(|task| task.title.clone());
    let decision = || workflow.decisions.iter().find(|it| it.id == id).map(|it| it.text.clone());
    plan.or_else(task).or_else(decision)
}
