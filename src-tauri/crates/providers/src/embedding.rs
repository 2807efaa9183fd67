//! Vectors: of a provider's model through the gate, or of a model of this computer, which lies in the data folder or came
//! with this program.
//!
//! Implements the engine's port [`Embedders`]; the hosts make one [`Embeddings`] and hand it to the use cases, which
//! decide what may be read by whom. The formats of OpenAI, Gemini and Ollama have vectors; Anthropic's has none. What
//! comes back is checked before it is believed: as many vectors as texts, all of one length, of numbers.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use reqwest::Url;
use serde_json::{Value, json};
use siltstone_engine::meaning::{Embedded, Embedder, Embedders, LocalEmbedder, Purpose};
use siltstone_engine::ports::{Access, Asked};
use siltstone_engine::provider::{ProviderError, ProviderKind, ProviderRecord};

use crate::faults;
use crate::http::{self, Door};
use crate::remote::{self, Wire};
use crate::{gemini::Gemini, local, ollama::Ollama, openai::OpenAi};

/// Dimensions of a vector at most.
const DIMENSIONS: usize = 8_192;

/// What models that make vectors have in their names, where a server does not say what its models do.
const NAMES: [&str; 9] =
    ["embed", "bge", "e5", "gte", "minilm", "paraphrase", "arctic", "jina", "potion"];

/// Makes embedders, all behind one gate.
pub struct Embeddings {
    gate: http::Gate,
    folder: PathBuf,
    shipped: Option<PathBuf>,
}

/// Names another folder of models that came with this program; for who runs it where it was built.
const SHIPPED: &str = "SILTSTONE_MODELS";

/// Where packages of this system put what comes with the program, as seen from its folder.
const PLACE: &str = match () {
    () if cfg!(target_os = "linux") => "../lib/Siltstone/models",
    () if cfg!(target_os = "macos") => "../Resources/models",
    () => "models",
};

impl Embeddings {
    /// With the models that lie in this folder, one folder each.
    pub fn new(folder: PathBuf) -> Self {
        crate::install_crypto();
        Self { gate: http::Gate::new(http::Limits::default()), folder, shipped: None }
    }

    /// And with the models in a folder that came with this program, if one did.
    pub fn with_shipped(self, shipped: Option<PathBuf>) -> Self {
        Self { shipped, ..self }
    }

    fn door(
        &self,
        form: Form,
        record: &ProviderRecord,
        access: Access,
    ) -> Result<Door, ProviderError> {
        let wire: &dyn Wire = match form {
            Form::Openai => &OpenAi,
            Form::Gemini => &Gemini,
            Form::Ollama => &Ollama,
        };
        self.gate.door(&record.base_url, access, wire.key_header(), wire.headers())
    }
}

/// The folder of the models that came with this program.
pub fn shipped_models() -> Option<PathBuf> {
    let installed = || {
        let folder = env::current_exe().ok()?.with_file_name(PLACE);
        folder.is_dir().then_some(folder)
    };
    env::var_os(SHIPPED).map(PathBuf::from).or_else(installed)
}

impl Embedders for Embeddings {
    fn folder(&self) -> String {
        self.folder.display().to_string()
    }

    fn local(&self) -> Vec<LocalEmbedder> {
        let mut found = local::all(&self.folder);
        let shipped = self.shipped.iter().flat_map(|folder| local::all(folder));
        // What the person put there under the same name is what they mean.
        let shipped = shipped.filter(|it| found.iter().all(|own| own.name != it.name));
        let shipped: Vec<_> = shipped.map(|it| LocalEmbedder { shipped: true, ..it }).collect();
        found.extend(shipped);
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Embedder>, ProviderError> {
        match &self.shipped {
            Some(shipped) if local::all(&self.folder).iter().all(|it| it.name != name) => {
                local::open(shipped, name)
            }
            _ => local::open(&self.folder, name),
        }
    }

    fn connect(
        &self,
        record: &ProviderRecord,
        model: &str,
        access: Access,
    ) -> Result<Arc<dyn Embedder>, ProviderError> {
        let form = Form::of(record)?;
        let door = self.door(form, record, access)?;
        Ok(Arc::new(Remote { form, door, model: model.to_owned() }))
    }

    fn listed(&self, record: &ProviderRecord, access: Access) -> Asked<'_, Vec<String>> {
        let ways = Form::of(record).and_then(|form| Ok((form, self.door(form, record, access)?)));
        Box::pin(async move {
            let (form, door) = ways?;
            let listed = remote::fetch(&door, &form.list(&door)).await;
            listed.map(|list| form.listed(&list)).map_err(|error| faults::without_key(error, &door))
        })
    }

    fn is_home(&self, record: &ProviderRecord) -> bool {
        http::is_home(&record.base_url)
    }
}

/// A format that has vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Openai,
    Gemini,
    Ollama,
}

impl Form {
    fn of(record: &ProviderRecord) -> Result<Self, ProviderError> {
        match record.kind {
            ProviderKind::Openai => Ok(Self::Openai),
            ProviderKind::Gemini => Ok(Self::Gemini),
            ProviderKind::Ollama => Ok(Self::Ollama),
            ProviderKind::Offline | ProviderKind::Anthropic | ProviderKind::Agent => {
                Err(ProviderError::ModelNotFound {
                    model: format!("a model of {} that makes vectors", record.name),
                })
            }
        }
    }

    /// Texts of one request; fewer where it is likely to be this computer that reads them.
    fn at_once(self) -> usize {
        match self {
            Self::Openai => 64,
            Self::Gemini => 50,
            Self::Ollama => 16,
        }
    }

    fn question(
        self,
        door: &Door,
        model: &str,
        texts: &[String],
        purpose: Purpose,
    ) -> (Url, Value) {
        match self {
            Self::Openai => {
                let body = json!({"model": model, "input": texts, "encoding_format": "float"});
                (door.address(&["embeddings"]), body)
            }
            Self::Ollama => {
                let body = json!({"model": model, "input": texts, "truncate": true});
                (door.address(&["api", "embed"]), body)
            }
            Self::Gemini => {
                let (collection, name) = model.split_once('/').unwrap_or(("models", model));
                let task = match purpose {
                    Purpose::Question => "RETRIEVAL_QUERY",
                    Purpose::Passage => "RETRIEVAL_DOCUMENT",
                };
                let request = |text: &String| {
                    json!({
                        "model": format!("{collection}/{name}"),
                        "content": {"parts": [{"text": text}]},
                        "taskType": task,
                    })
                };
                let requests: Vec<Value> = texts.iter().map(request).collect();
                let url = door.address(&[collection, &format!("{name}:batchEmbedContents")]);
                (url, json!({ "requests": requests }))
            }
        }
    }

    fn read(self, answer: &Value) -> Embedded {
        let figures = |list: &Value| -> Vec<f32> {
            // A hole is no number, and is found out.
            let figure = |it: &Value| it.as_f64().unwrap_or(f64::NAN) as f32;
            list.as_array().into_iter().flatten().map(figure).collect()
        };
        let all = |list: &Value, place: &str| {
            let lists = list.as_array().into_iter().flatten();
            lists.map(|it| figures(if place.is_empty() { it } else { &it[place] })).collect()
        };
        match self {
            Self::Openai => {
                let mut data: Vec<&Value> =
                    answer["data"].as_array().into_iter().flatten().collect();
                data.sort_by_key(|it| it["index"].as_u64());
                let vectors = data.iter().map(|it| figures(&it["embedding"])).collect();
                let counted = ["prompt_tokens", "total_tokens"];
                let tokens = counted.iter().find_map(|it| answer["usage"][*it].as_u64());
                // A server that does not count says nothing in all.
                Embedded { vectors, tokens: tokens.filter(|tokens| *tokens > 0) }
            }
            Self::Gemini => {
                Embedded { vectors: all(&answer["embeddings"], "values"), tokens: None }
            }
            Self::Ollama => Embedded {
                vectors: all(&answer["embeddings"], ""),
                tokens: answer["prompt_eval_count"].as_u64(),
            },
        }
    }

    fn list(self, door: &Door) -> Url {
        match self {
            Self::Openai => door.address(&["models"]),
            Self::Ollama => door.address(&["api", "tags"]),
            Self::Gemini => {
                let mut url = door.address(&["models"]);
                url.set_query(Some("pageSize=1000"));
                url
            }
        }
    }

    /// The names of what seems to make vectors; all, where nothing does: a server may call its models anything.
    fn listed(self, list: &Value) -> Vec<String> {
        let (place, names): (&str, &[&str]) = match self {
            Self::Openai => ("data", &["id"]),
            Self::Gemini => ("models", &["name"]),
            Self::Ollama => ("models", &["model", "name"]),
        };
        let entries: Vec<&Value> = list[place].as_array().into_iter().flatten().collect();
        let name = |entry: &&Value| {
            let name = names.iter().find_map(|name| entry[*name].as_str())?;
            Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
        };
        let makes_vectors = |entry: &&&Value| {
            let can = entry["supportedGenerationMethods"].as_array();
            if let Some(can) = can {
                return can.iter().any(|it| it.as_str().is_some_and(|it| it.contains("mbed")));
            }
            let named = name(entry).unwrap_or_default().to_lowercase();
            entry["type"] == "embeddings" || NAMES.iter().any(|it| named.contains(it))
        };
        let found: Vec<String> = entries.iter().filter(makes_vectors).filter_map(name).collect();
        if found.is_empty() { entries.iter().filter_map(name).collect() } else { found }
    }
}

/// A provider's model.
struct Remote {
    form: Form,
    door: Door,
    model: String,
}

impl Remote {
    async fn ask(&self, texts: Vec<String>, purpose: Purpose) -> Result<Embedded, ProviderError> {
        let (url, body) = self.form.question(&self.door, &self.model, &texts, purpose);
        let body: Bytes = remote::body(&body)?;
        let asked = faults::Asked { model: self.model.clone(), tools: false };
        let answer = self.door.post(&url, body).await.map_err(|no| faults::of(no, &asked))?;
        let made = self.form.read(&remote::read(&answer.text().await?)?);
        checked(made, texts.len())
    }
}

impl Embedder for Remote {
    fn at_once(&self) -> usize {
        self.form.at_once()
    }

    fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Asked<'_, Embedded> {
        Box::pin(async move {
            let made = self.ask(texts, purpose).await;
            made.map_err(|error| faults::without_key(error, &self.door))
        })
    }
}

/// Vectors as they can be kept, one for each text.
fn checked(made: Embedded, texts: usize) -> Result<Embedded, ProviderError> {
    let malformed = |detail: String| Err(ProviderError::Malformed { detail });
    let had = made.vectors.len();
    if had != texts {
        return malformed(format!("{had} vectors for {texts} texts"));
    }
    let length = made.vectors.first().map_or(1, Vec::len);
    if length == 0 || length > DIMENSIONS {
        return malformed(format!("vectors of {length} dimensions"));
    }
    if made.vectors.iter().any(|it| it.len() != length || it.iter().any(|it| !it.is_finite())) {
        return malformed("vectors of different lengths, or not of numbers".to_owned());
    }
    Ok(made)
}

#[cfg(test)]
mod tests;
