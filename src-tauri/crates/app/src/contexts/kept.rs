//! One project's context as it lives in this process, and the files behind it.
//!
//! Three files: the persistent store of the app, that of the layers, and what other programs told of the volatile
//! context, so that every process on the data folder knows it. Whoever changes one has read what is there; a broken
//! file is moved aside, and one of a newer version is left alone and counts for nothing.

use siltstone_engine::Timestamp;
use siltstone_engine::context::{
    AppContext, ContextFiles, ContextScope, ContextStore, Layer, LayerKind, Load, PersistenceKind,
    StoreFile, StoreFileError, Workplace, layer_store, layer_summary,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;

/// What other programs told: no store of its own, so the engine has no name for its file.
const TOLD: &str = "volatile-context.json";

/// Where the files of a project's context are, and the time.
pub(crate) struct Place<'a> {
    pub(crate) files: &'a dyn ContextFiles,
    pub(crate) project: Option<ProjectId>,
    pub(crate) now: Timestamp,
}

/// The context of one project, or of none.
pub(crate) struct Kept {
    pub(crate) context: AppContext,
    /// Volatile context that was told outside of a request.
    pub(crate) told: StoreFile,
    pub(crate) layers: StoreFile,
    seen: [Seen; 3],
}

/// One of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Persistent,
    Told,
    Layers,
}

impl Kept {
    /// Begins with what the files say, and says what to load.
    pub(crate) fn start(place: &Place<'_>, at: Workplace) -> Result<(Self, Vec<Load>), StoreError> {
        let [mut persistent, told, layers] =
            [Which::Persistent, Which::Told, Which::Layers].map(Seen::new);
        let file = persistent.read(place)?;
        let (context, loads) = AppContext::start(at, file, place.now);
        let (empty, no_layers) = (told.empty(), layers.empty());
        let seen = [persistent, told, layers];
        let mut kept = Self { context, told: empty, layers: no_layers, seen };
        kept.catch_up(place)?;
        Ok((kept, loads))
    }

    /// Takes over what other processes wrote; whether there was anything.
    pub(crate) fn catch_up(&mut self, place: &Place<'_>) -> Result<bool, StoreError> {
        let mut news = false;
        for which in [Which::Persistent, Which::Told, Which::Layers] {
            let Some(file) = self.seen[which as usize].read(place)? else { continue };
            news = true;
            match which {
                Which::Persistent => self.context.adopt(file),
                Which::Told => self.hear(file),
                Which::Layers => self.layers = file,
            }
        }
        Ok(news)
    }

    /// Changes what is kept and writes it, again for as long as another process is faster; `how` says whether the
    /// change is allowed.
    pub(crate) fn change(
        &mut self,
        place: &Place<'_>,
        which: Which,
        how: impl Fn(&mut Self) -> bool,
    ) -> Result<bool, StoreError> {
        loop {
            if !how(self) {
                return Ok(false);
            }
            let file = match which {
                Which::Persistent => self.context.file(),
                Which::Told => self.told.clone(),
                Which::Layers => self.layers.clone(),
            };
            match self.seen[which as usize].write(place, &file) {
                Err(StoreError::Conflict { .. }) => _ = self.catch_up(place)?,
                done => return done.map(|()| true),
            }
        }
    }

    /// Takes in what a load brought; whether anything is different now.
    pub(crate) fn loaded(
        &mut self,
        place: &Place<'_>,
        load: &Load,
        text: Option<String>,
    ) -> Result<bool, StoreError> {
        let changed = self.context.loaded(load, text, place.now);
        if changed {
            self.change(place, Which::Persistent, |_| true)?;
        }
        Ok(changed)
    }

    /// The same for the layers, which are kept whole beside their summary.
    pub(crate) fn loaded_layers(
        &mut self,
        place: &Place<'_>,
        load: &Load,
        layers: &[Layer],
    ) -> Result<bool, StoreError> {
        let entries = layer_store(layers).snapshot().clone();
        if self.layers.entries != entries {
            self.change(place, Which::Layers, |kept| {
                kept.layers.entries.clone_from(&entries);
                true
            })?;
        }
        // What a tool does is said where it is offered; here its name is enough.
        let named = layers.iter().cloned().map(|layer| match layer.kind {
            LayerKind::Tool => Layer { description: String::new(), ..layer },
            LayerKind::Provider => layer,
        });
        self.loaded(place, load, layer_summary(&named.collect::<Vec<_>>()))
    }

    /// What was told and is not any more is forgotten, unless a request said otherwise meanwhile.
    fn hear(&mut self, file: StoreFile) {
        for (key, value) in &self.told.entries {
            let known = self.context.volatile().snapshot().get(key);
            if !file.entries.contains_key(key) && known == Some(value) {
                self.context.forget(key);
            }
        }
        for (key, value) in &file.entries {
            if self.told.entries.get(key) != Some(value) {
                self.context.put(key, value);
            }
        }
        self.told = file;
    }
}

/// A file as this process saw it last.
struct Seen {
    store: ContextStore,
    name: &'static str,
    bytes: Option<Vec<u8>>,
    /// A newer version wrote it.
    newer: Option<StoreError>,
}

impl Seen {
    fn new(which: Which) -> Self {
        let scope = if which == Which::Layers { ContextScope::Layer } else { ContextScope::App };
        let store = ContextStore::new(scope, PersistenceKind::Persistent);
        let own = store.file_name().filter(|_| which != Which::Told);
        Self { name: own.unwrap_or(TOLD), store, bytes: None, newer: None }
    }

    fn empty(&self) -> StoreFile {
        StoreFile::of(&self.store)
    }

    /// What the file says, when that is new here.
    fn read(&mut self, place: &Place<'_>) -> Result<Option<StoreFile>, StoreError> {
        let Place { files, project, now } = *place;
        loop {
            let found = files.read(project, self.name)?;
            if found == self.bytes {
                return Ok(None);
            }
            self.newer = None;
            let file = match found.as_deref().map(|bytes| self.parse(bytes)) {
                None => self.empty(),
                Some(Ok(file)) => file,
                Some(Err(StoreFileError::Newer { found: version, known })) => {
                    let path = self.name.to_owned();
                    self.newer = Some(StoreError::Newer { path, found: version, known });
                    self.empty()
                }
                Some(Err(error)) => {
                    match files.set_aside(
                        project,
                        self.name,
                        found.as_deref().unwrap_or_default(),
                        now,
                    ) {
                        Ok(aside) => {
                            tracing::warn!(%error, aside, "a broken context store was moved aside")
                        }
                        Err(StoreError::Conflict { .. }) => {}
                        Err(error) => return Err(error),
                    }
                    continue;
                }
            };
            self.bytes = found;
            return Ok(Some(file));
        }
    }

    fn parse(&self, bytes: &[u8]) -> Result<StoreFile, StoreFileError> {
        let text = str::from_utf8(bytes)
            .map_err(|error| StoreFileError::Damaged { detail: error.to_string() })?;
        StoreFile::from_json(text, self.store.scope())
    }

    fn write(&mut self, place: &Place<'_>, file: &StoreFile) -> Result<(), StoreError> {
        if let Some(newer) = &self.newer {
            return Err(newer.clone());
        }
        let text = file.to_json();
        if self.bytes.as_deref() != Some(text.as_bytes()) {
            place.files.write(place.project, self.name, self.bytes.as_deref(), &text)?;
            self.bytes = Some(text.into_bytes());
        }
        Ok(())
    }
}
