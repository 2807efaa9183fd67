//! Relative paths, resolved by their spelling alone: against the working directory, without asking the disk.

/// The path as it reads from `base`, which is absolute, with `.` and `..` worked out; `..` never climbs over a root. An
/// absolute path stands for itself. Whether `\` and `C:` mean something is decided by `base`, a path of this computer.
pub fn resolve(path: &str, base: &str) -> String {
    let windows = has_drive(base) || base.starts_with(r"\\");
    let base = Spelling::of(base, windows);
    let path = Spelling::of(path, windows);
    let same_drive = path.prefix.is_empty() || path.prefix == base.prefix;
    let mut parts = Vec::new();
    if !path.rooted && same_drive {
        parts.extend(&base.parts);
    }
    parts.extend(&path.parts);
    let prefix = if path.prefix.is_empty() { &base.prefix } else { &path.prefix };
    let separator = if windows { "\\" } else { "/" };

    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            ".." => _ = kept.pop(),
            part => kept.push(part),
        }
    }
    format!("{prefix}{separator}{}", kept.join(separator))
}

struct Spelling<'a> {
    /// `C:` or `\\server\share`; empty elsewhere.
    prefix: String,
    rooted: bool,
    parts: Vec<&'a str>,
}

impl<'a> Spelling<'a> {
    fn of(path: &'a str, windows: bool) -> Self {
        let separators: &[char] = if windows { &['/', '\\'] } else { &['/'] };
        let mut prefix = String::new();
        let mut rest = path;
        if windows && has_drive(path) {
            prefix = path[..2].to_ascii_uppercase();
            rest = &path[2..];
        }
        let share = windows && path.starts_with(r"\\");
        let mut parts: Vec<&str> =
            rest.split(separators).filter(|part| !part.is_empty() && *part != ".").collect();
        if share {
            let names: Vec<&str> = parts.drain(..parts.len().min(2)).collect();
            prefix = format!(r"\\{}", names.join(r"\"));
        }
        Self { prefix, rooted: share || rest.starts_with(separators), parts }
    }
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}
