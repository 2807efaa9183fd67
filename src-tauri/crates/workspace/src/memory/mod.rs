//! Memory files on disk: the engine's `MemoryFiles` over the file system.
//!
//! `find` knows the folders and the memory files in them, `texts` what they say, both kept by `stamp`; `gather` puts a
//! list together; `import` follows `@path`; `document` opens and saves one, in the `form` it has on disk and by `swap`
//! in one step; `watch` tells of changes; `spread` does the same for many on a few threads.
//!
//! Nothing is believed without a look at its stamp, so that a change is seen at once whether or not it was told of.
//! Deliberately absent: what memory means. Whether a file may speak, and which of its lines hold, is decided elsewhere.

mod document;
mod find;
pub(crate) mod form;
mod gather;
mod import;
mod spread;
mod stamp;
pub(crate) mod swap;
mod texts;
mod watch;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use siltstone_engine::memory::{
    Imported, MemoryDocument, MemoryFile, MemoryFiles, MemoryPlace, MemorySettings, OnMemoryChange,
    Refusal, SaveError, Watching,
};
use siltstone_engine::ports::{FolderError, OnProgress, ProjectFiles};

use crate::exclude::ExcludeRules;
use crate::{Folders, locked, place, read};
use find::{Finder, Listed};
use texts::Texts;
use watch::Watch;

/// What is kept between calls.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Files of global memory, whether or not they exist.
    globals: Vec<PathBuf>,
    /// The program's own one of them.
    own: Option<PathBuf>,
    global_texts: Texts,
    projects: Mutex<HashMap<PathBuf, Arc<Kept>>>,
    watches: Mutex<HashMap<String, Watch>>,
}

impl Memory {
    /// `~/.gemini/GEMINI.md` (behaviour.md, Memory), then the program's own file in its folder of settings.
    pub(crate) fn new(home: Option<&Path>, config: Option<&Path>) -> Self {
        let of_home = home.map(|home| home.join(".gemini/GEMINI.md"));
        let own = config.map(|config| config.join("siltstone/AGENTS.md"));
        let globals = of_home.into_iter().chain(own.clone()).collect();
        Self { globals, own, ..Self::default() }
    }
}

/// What is kept of one project.
#[derive(Debug)]
struct Kept {
    root: PathBuf,
    names: Vec<String>,
    patterns: Vec<String>,
    exclude: ExcludeRules,
    finder: Finder,
    texts: Texts,
    /// Files that memory files import, as far as they were asked for.
    imported: Mutex<BTreeSet<String>>,
}

impl Folders {
    fn kept(&self, place: &MemoryPlace<'_>) -> Result<Option<Arc<Kept>>, FolderError> {
        let Some(root) = place.root else {
            return Ok(None);
        };
        let (_, root) = self.opened(root)?;
        let names = &place.settings.names;
        let mut projects = locked(&self.memory.projects);
        if let Some(kept) = projects.get(&root)
            && kept.names == *names
            && kept.patterns == place.exclude
        {
            return Ok(Some(Arc::clone(kept)));
        }
        let wide = place::wide(&root, self.home.as_deref()).is_some();
        let kept = Arc::new(Kept {
            root: root.clone(),
            names: names.clone(),
            patterns: place.exclude.to_vec(),
            exclude: ExcludeRules::new(place.exclude),
            finder: Finder::new(root.clone(), names, wide),
            texts: Texts::default(),
            imported: Mutex::default(),
        });
        projects.insert(root, Arc::clone(&kept));
        Ok(Some(kept))
    }
}

impl MemoryFiles for Folders {
    fn own_file(&self) -> Option<String> {
        self.memory.own.as_ref().map(|own| place::plain(&own.to_string_lossy()))
    }

    fn along(
        &self,
        place: &MemoryPlace<'_>,
        dirs: &[String],
    ) -> Result<Vec<MemoryFile>, FolderError> {
        let Some(kept) = self.kept(place)? else {
            return Ok(gather::gather(&self.memory, None, &[]));
        };
        let mut folders: Vec<Arc<Listed>> = kept.finder.chain("");
        for dir in dirs {
            let chain = kept.finder.chain(dir);
            // "현재 디렉토리만" (behaviour.md, Memory): what lies between the root and it does not speak.
            let from = if place.settings.strict { chain.len() - 1 } else { 0 };
            for folder in chain.into_iter().skip(from) {
                if folders.iter().all(|known| known.path != folder.path) {
                    folders.push(folder);
                }
            }
        }
        Ok(gather::gather(&self.memory, Some(&kept), &folders))
    }

    fn all(
        &self,
        place: &MemoryPlace<'_>,
        progress: OnProgress<'_>,
    ) -> Result<Vec<MemoryFile>, FolderError> {
        let Some(kept) = self.kept(place)? else {
            return Ok(gather::gather(&self.memory, None, &[]));
        };
        let folders = kept.finder.all(progress)?;
        Ok(gather::gather(&self.memory, Some(&kept), &folders))
    }

    fn import(
        &self,
        place: &MemoryPlace<'_>,
        from: &str,
        target: &str,
    ) -> Result<Imported, Refusal> {
        let kept =
            self.kept(place).map_err(|error| Refusal::Unreadable { detail: error.to_string() })?;
        import::import(&self.memory, kept.as_deref(), from, target)
    }

    fn open(&self, place: &MemoryPlace<'_>, path: &str) -> Result<MemoryDocument, FolderError> {
        document::open(&self.spot(place, path)?)
    }

    fn save(
        &self,
        place: &MemoryPlace<'_>,
        path: &str,
        text: &str,
        base: Option<&str>,
    ) -> Result<MemoryDocument, SaveError> {
        document::save(&self.spot(place, path)?, text, base)
    }

    fn remove(&self, place: &MemoryPlace<'_>, path: &str, base: &str) -> Result<(), SaveError> {
        document::remove(&self.spot(place, path)?, base)
    }

    fn root_of(&self, folder: &str, settings: &MemorySettings) -> Result<String, FolderError> {
        let folder = self.real_path(folder)?;
        let markers: Vec<&String> =
            settings.markers.iter().filter(|marker| read::is_plain_relative(marker)).collect();
        // A repository of the home's own settings does not make a project of everything in it.
        let marked = Path::new(&folder)
            .ancestors()
            .take_while(|above| place::wide(above, self.home.as_deref()).is_none())
            .find(|above| {
                markers.iter().any(|marker| above.join(marker).symlink_metadata().is_ok())
            })
            .and_then(Path::to_str);
        Ok(marked.map(str::to_owned).unwrap_or(folder))
    }

    fn watch(
        &self,
        place: &MemoryPlace<'_>,
        on_change: OnMemoryChange,
    ) -> Result<Watching, FolderError> {
        let key = place.root.unwrap_or_default();
        self.unwatch(key);
        let kept = self.kept(place)?;
        let (watch, watching) = watch::start(&self.memory, kept, on_change)?;
        locked(&self.memory.watches).insert(key.to_owned(), watch);
        Ok(watching)
    }

    fn unwatch(&self, root: &str) {
        // Dropped when the lock is free again: it waits for its thread.
        let ended = locked(&self.memory.watches).remove(root);
        drop(ended);
    }
}
