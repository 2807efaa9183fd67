//! Paths that calls name, in the one spelling that rules are compared with.
//!
//! Nothing here looks at files: what links make of a path, and whether letters have a case, only the file system knows.
//! The adapter judges the path it really opens; on systems that take `.ENV` for `.env` rules have to say both.

/// A path in its one spelling: with `/`, without empty steps and `.`, and with `..` taken back as far as there is
/// something to take back. What leads out of the project still says so: it begins with `/` or with `..`.
pub fn spelled(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let from_root = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => _ = steps.pop(),
            // Above everything there is nothing.
            ".." if from_root => {}
            step => steps.push(step),
        }
    }
    let relative = steps.join("/");
    if from_root { format!("/{relative}") } else { relative }
}

/// A spelled path relative to the project's root, where it is written as this computer has it and lies there.
pub fn relative_to(root: &str, path: String) -> String {
    let root = spelled(root);
    match path.strip_prefix(root.trim_end_matches('/')) {
        Some("") => String::new(),
        Some(below) => below.strip_prefix('/').map_or(path.clone(), str::to_owned),
        None => path,
    }
}

/// Whether a spelled path stays in the project, and is not the project itself.
pub fn is_inside(spelled: &str) -> bool {
    let drive = cfg!(windows) && spelled.contains(':');
    let above = spelled == ".." || spelled.starts_with("../");
    !(spelled.is_empty() || spelled.starts_with('/') || above || drive)
}
