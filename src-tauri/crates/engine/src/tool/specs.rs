//! The built-in tools, as a model is told of them.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{Effect, ToolSpec};

/// A built-in tool.
#[derive(Clone, Debug)]
pub struct BuiltIn {
    /// As the model is told of it.
    pub spec: ToolSpec,
    /// What it does.
    pub effect: Effect,
    /// Whether it needs the folder of a trusted project.
    pub needs_project: bool,
}

/// All of them, in the order in which they are offered.
pub static BUILT_IN: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    use Effect::{Changes, Proposes, Reads, Runs};
    let path = || text("Path relative to the project's root, with /.");
    vec![
        tool(
            "list_files",
            Reads,
            true,
            "Lists a folder of the project.",
            json!({
                "path": text("Folder relative to the project's root; empty for the root."),
            }),
            &[],
        ),
        tool(
            "find_files",
            Reads,
            true,
            "Finds files of the project by a glob pattern such as src/**/*.rs, the last changed first.",
            json!({
                "pattern": text("The pattern, relative to the project's root."),
            }),
            &["pattern"],
        ),
        tool(
            "search_files",
            Reads,
            true,
            "Searches the text of the project's files for a regular expression, with line numbers.",
            json!({
                "pattern": text("A regular expression in Rust's syntax."),
                "path": text("Folder or file to search in; empty for the whole project."),
                "files": text("Only files that match this glob pattern; empty for all."),
                "ignore_case": flag("Whether capital and small letters are the same."),
            }),
            &["pattern"],
        ),
        tool(
            "read_file",
            Reads,
            true,
            "Reads a text file of the project, with line numbers. Long files are read in pieces.",
            json!({
                "path": path(),
                "offset": whole("First line, from 1."),
                "limit": whole("Most lines."),
            }),
            &["path"],
        ),
        tool(
            "edit_file",
            Changes,
            true,
            "Replaces a text in a file of the project, exactly and once. Read the file first; give enough of the text around it that it occurs only once.",
            json!({
                "path": path(),
                "old": text("The text as it stands in the file, without line numbers."),
                "new": text("The text to stand in its place."),
                "all": flag("Replace every occurrence."),
            }),
            &["path", "old", "new"],
        ),
        tool(
            "write_file",
            Changes,
            true,
            "Writes a whole file of the project. Prefer edit_file for files that exist.",
            json!({
                "path": path(),
                "text": text("All of its text."),
            }),
            &["path", "text"],
        ),
        tool(
            "move_file",
            Changes,
            true,
            "Moves or renames a file of the project. Nothing is written over.",
            json!({
                "from": path(),
                "to": path(),
            }),
            &["from", "to"],
        ),
        tool(
            "delete_file",
            Changes,
            true,
            "Deletes a file of the project.",
            json!({"path": path()}),
            &["path"],
        ),
        tool(
            "run_command",
            Runs,
            true,
            "Runs a command in the project's root with the system's shell, without input. Say what it is for.",
            json!({
                "command": text("The command line."),
                "purpose": text("What it is for, in a few words, for the person who is asked."),
                "seconds": whole("Seconds until it is ended; left out for the usual ones."),
            }),
            &["command"],
        ),
        tool(
            "read_output",
            Reads,
            false,
            "Reads on in a long result that was shortened, by its handle.",
            json!({
                "handle": text("The handle from the shortened result."),
                "offset": whole("First line, from 1."),
                "limit": whole("Most lines."),
            }),
            &["handle"],
        ),
        tool(
            "read_memory",
            Reads,
            false,
            "Reads what the person lets models know of a place: rules and notes of the project and its folders.",
            json!({
                "path": text("Folder relative to the project's root; empty for the root."),
            }),
            &[],
        ),
        tool(
            SKILLS,
            Reads,
            false,
            "Reads a skill: the person's instructions for a kind of work, by its name. Read it before such work.",
            json!({
                "name": text("The skill's name."),
                "file": text("A file of the skill, relative to its folder; empty for its instructions."),
            }),
            &["name"],
        ),
        tool(
            "remember",
            Proposes,
            false,
            "Proposes a line to remember in later conversations. The person decides.",
            json!({
                "text": text("The line, whole and understandable on its own."),
                "why": text("What in this conversation it rests on."),
                "for_all_projects": flag("Whether it is about the person and not about this project."),
            }),
            &["text"],
        ),
        tool(
            "search_conversations",
            Reads,
            false,
            "Searches earlier conversations of this project.",
            json!({
                "query": text("Words to look for."),
            }),
            &["query"],
        ),
        tool(
            "propose",
            Proposes,
            true,
            "Proposes a change of the plan, a task or a decision. The person decides.",
            json!({
                "change": {"type": "string", "enum": ["add_plan", "add_task", "finish_task", "add_decision"]},
                "title": text("Of a plan or a task, in a few words."),
                "acceptance": {"type": "array", "items": {"type": "string"}, "description": "What must be true when a task is done."},
                "id": text("Of the task that is finished."),
                "text": text("What was decided."),
            }),
            &["change"],
        ),
    ]
});

/// The tool by which skills are read; it is offered where there are any that models may be told of, and names them.
pub const SKILLS: &str = "read_skill";

/// A built-in tool by its name.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|tool| tool.spec.name == name)
}

fn tool(
    name: &str,
    effect: Effect,
    needs_project: bool,
    description: &str,
    properties: Value,
    required: &[&str],
) -> BuiltIn {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let spec = ToolSpec { name: name.to_owned(), description: description.to_owned(), schema };
    BuiltIn { spec, effect, needs_project }
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn whole(description: &str) -> Value {
    json!({"type": "integer", "description": description})
}

fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}
