//! The settings of other programs in which Siltstone is named as their MCP server: the engine's `Clients` over files.
//!
//! An entry is put in as text and taken out as exactly that text, so that nothing else of the file changes and taking it
//! out gives back every byte. `json` and `toml` know the two forms; here are the files: found, read whole, replaced whole
//! if they still are what was shown. A link is followed to what it names, as the program itself does; one in a project
//! never out of it.

mod json;
#[cfg(test)]
mod tests;
mod toml;

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use siltstone_engine::client::{Client, ClientError, ClientFile, Clients, Form, Named, Settings};
use siltstone_engine::ports::{FolderError, ProjectFiles};

use crate::Folders;
use crate::memory::swap::{self, Put};
use crate::read;
use json::Json;
use toml::Toml;

/// Bytes of settings that are read.
const MOST: u64 = 4 * 1024 * 1024;

/// What some editors begin a text with.
const MARK: char = '\u{feff}';

/// A form with what is to be written in it.
enum Written<'a> {
    Json(Json<'a>),
    Toml(Toml<'a>),
}

/// How an entry is put into a text and taken out of it; neither sees the mark that a text may begin with.
struct Editor {
    client: Client,
    entry: Vec<(&'static str, serde_json::Value)>,
}

impl Editor {
    fn of(client: Client) -> Self {
        Self { client, entry: client.entry() }
    }

    fn written(&self) -> Written<'_> {
        let entry = &self.entry;
        match self.client.form() {
            Form::Json(servers) => Written::Json(Json { servers, entry }),
            Form::Toml(servers) => Written::Toml(Toml { servers, entry }),
        }
    }

    fn alone(&self) -> String {
        match self.written() {
            Written::Json(json) => json.alone(),
            Written::Toml(toml) => toml.alone(),
        }
    }

    fn says(&self, text: &str) -> Result<bool, String> {
        match self.written() {
            Written::Json(json) => json.says(text),
            Written::Toml(toml) => toml.says(text),
        }
    }

    fn with(&self, text: &str) -> Result<String, String> {
        match self.written() {
            Written::Json(json) => json.with(text),
            Written::Toml(toml) => toml.with(text),
        }
    }

    fn without(&self, text: &str) -> Result<Option<String>, String> {
        match self.written() {
            Written::Json(json) => json.without(text),
            Written::Toml(toml) => toml.without(text),
        }
    }

    /// Whether settings name the server, and what they would be as `wanted`.
    fn edit(&self, before: Option<&str>, wanted: bool) -> Result<(Named, Option<String>), String> {
        let Some(whole) = before else {
            return Ok((Named::No, wanted.then(|| self.alone())));
        };
        if whole == self.alone() {
            return Ok((Named::Yes, wanted.then(|| whole.to_owned())));
        }
        let text = whole.strip_prefix(MARK).unwrap_or(whole);
        let mark = &whole[..whole.len() - text.len()];
        let again = |text: String| Some(format!("{mark}{text}"));
        if !self.says(text)? {
            let with = if wanted { again(self.with(text)?) } else { Some(whole.to_owned()) };
            return Ok((Named::No, with));
        }
        match self.without(text)? {
            Some(rest) if !wanted => Ok((Named::Yes, again(rest))),
            Some(_) => Ok((Named::Yes, Some(whole.to_owned()))),
            None => Ok((Named::Otherwise, Some(whole.to_owned()))),
        }
    }
}

/// The line ends of a text; of one that has none, those of most systems.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A value in one line, as people write it.
fn spaced(value: &serde_json::Value) -> String {
    match value.as_array() {
        Some(items) => {
            format!("[{}]", items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        None => value.to_string(),
    }
}

/// A file of settings: its folder may not exist yet.
struct Place {
    path: PathBuf,
    /// Its folder is there for such files alone, so that an empty one goes with the last of them.
    folder_goes: bool,
}

impl Place {
    /// The folder and the name in it, both real where they exist.
    fn parts(&self) -> (&Path, &OsStr) {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        (folder, self.path.file_name().unwrap_or_default())
    }

    fn io(&self, detail: impl ToString) -> ClientError {
        ClientError::Io { path: self.shown(), detail: detail.to_string() }
    }

    fn shown(&self) -> String {
        crate::place::plain(&self.path.to_string_lossy())
    }

    fn read(&self) -> Result<Option<String>, ClientError> {
        let (folder, name) = self.parts();
        let dir = match Dir::open_ambient_dir(folder, ambient_authority()) {
            Ok(dir) => dir,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.io(error)),
        };
        let bytes = match read::regular(&dir, Path::new(name), MOST) {
            Ok(bytes) => bytes,
            Err(read::Refused::Io(error)) if error.kind() == ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(read::Refused::Io(error)) => return Err(self.io(error)),
            Err(read::Refused::NotRegular) => return Err(self.io("no regular file")),
            Err(read::Refused::TooLarge { bytes }) => {
                return Err(self.io(format!("{bytes} bytes are too many for settings")));
            }
        };
        let form = |_| ClientError::Form { path: self.shown(), detail: "it is no UTF-8".into() };
        String::from_utf8(bytes).map(Some).map_err(form)
    }

    fn write(&self, before: Option<&str>, after: Option<&str>) -> Result<(), ClientError> {
        let (folder, name) = self.parts();
        std::fs::create_dir_all(folder).map_err(|error| self.io(error))?;
        let dir = Dir::open_ambient_dir(folder, ambient_authority());
        let dir = dir.map_err(|error| self.io(error))?;
        let changed = || ClientError::Changed { path: self.shown() };
        let base = before.map(|before| swap::hash_of(before.as_bytes()));
        let Some(after) = after else {
            if self.read()?.as_deref() != before {
                return Err(changed());
            }
            dir.remove_file(name).map_err(|error| self.io(error))?;
            swap::press(&dir);
            if self.folder_goes {
                // One that has something else stays.
                let _ = std::fs::remove_dir(folder);
            }
            return Ok(());
        };
        match swap::put(&dir, name, after.as_bytes(), base.as_deref()) {
            Ok(Put::Done) => Ok(()),
            Ok(_) => Err(changed()),
            Err(error) => Err(self.io(error)),
        }
    }
}

impl Folders {
    fn place_of(&self, client: Client, root: Option<&str>) -> Result<Place, ClientError> {
        match client.settings() {
            Settings::Project(path) => {
                let no_project = || ClientError::NoProject { client: client.label() };
                self.place_in(root.ok_or_else(no_project)?, path)
            }
            Settings::Own { variable, folder, file } => {
                let named = std::env::var_os(variable).filter(|it| !it.is_empty());
                self.place_of_own(client, named, folder, file)
            }
        }
    }

    fn place_of_own(
        &self,
        client: Client,
        named: Option<OsString>,
        folder: &str,
        file: &str,
    ) -> Result<Place, ClientError> {
        let own = || self.home.as_ref().map(|home| home.join(folder));
        let homeless = || ClientError::Homeless { client: client.label() };
        let folder = named.map(PathBuf::from).or_else(own).ok_or_else(homeless)?;
        Ok(Place { path: real(&folder.join(file)), folder_goes: false })
    }

    fn place_in(&self, root: &str, path: &str) -> Result<Place, ClientError> {
        let folder = self.real_path(root).map_err(|error: FolderError| ClientError::Io {
            path: root.to_owned(),
            detail: error.to_string(),
        })?;
        let root = real(Path::new(&folder));
        let place = Place { path: real(&root.join(path)), folder_goes: path.contains('/') };
        match place.path.starts_with(&root) {
            true => Ok(place),
            false => Err(place.io("a link leads out of the project")),
        }
    }
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

impl Clients for Folders {
    fn look(
        &self,
        client: Client,
        root: Option<&str>,
        wanted: bool,
    ) -> Result<ClientFile, ClientError> {
        let place = self.place_of(client, root)?;
        let before = place.read()?;
        let path = place.shown();
        let edited = Editor::of(client).edit(before.as_deref(), wanted);
        let form = |detail| ClientError::Form { path: path.clone(), detail };
        let (named, after) = edited.map_err(form)?;
        Ok(ClientFile { client, path, before, after, named })
    }

    fn change(&self, root: Option<&str>, file: &ClientFile) -> Result<(), ClientError> {
        let place = self.place_of(file.client, root)?;
        match file.named {
            Named::Otherwise => Err(ClientError::Otherwise { path: place.shown() }),
            _ if file.before == file.after => Ok(()),
            _ => place.write(file.before.as_deref(), file.after.as_deref()),
        }
    }
}
