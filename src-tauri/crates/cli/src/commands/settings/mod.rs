//! `silt settings`: every setting by its name. The names and what they may be come from the type of the settings
//! ([`shape`]), their ends from the limits that the settings keep themselves.

mod shape;
mod words;

use serde_json::{Value, json};
use siltstone_contract::{AllowCommands, Code, ExcludeFiles, Failure, ReachProject, ToolsAt};
use siltstone_engine::project::Project;
use siltstone_engine::settings::Settings;

use crate::args;
use crate::host::Host;
use crate::out::Stop;
use crate::words::Lang;
use shape::Shape;
use words::{WORDS, Words};

/// The work that a model of its own can be chosen for; a chat asks the conversation's.
const TASKS: [&str; 4] = ["title", "summarise", "create_tree", "evaluate"];

/// Above this no float is a rate; below its negative neither.
const FAR: f64 = 1e9;

/// Names that are offered for one that is none.
const NEAR: usize = 6;

/// A setting as it is now.
struct Setting {
    name: String,
    shape: Shape,
    value: Value,
    default: Value,
    words: &'static Words,
}

/// All there is to look at and to change.
struct Desk {
    settings: Settings,
    project: Option<Project>,
    all: Vec<Setting>,
}

pub async fn run(host: &Host, command: args::Settings) -> Result<(), Stop> {
    let desk = Desk::of(host).await?;
    match command {
        args::Settings::List { name } => list(host, &desk, &name.unwrap_or_default()),
        args::Settings::Get { name } => get(host, &desk, desk.named(host, &name)?),
        args::Settings::Set { name, value } => {
            let setting = desk.changeable(host, &name)?;
            let value = desk.typed(host, setting, &value).await?;
            desk.store(host, setting, value).await?;
            again(host, &name).await
        }
        args::Settings::Unset { name } => {
            let setting = desk.changeable(host, &name)?;
            desk.store(host, setting, setting.default.clone()).await?;
            again(host, &name).await
        }
    }
}

impl Desk {
    async fn of(host: &Host) -> Result<Self, Stop> {
        let settings = host.app.settings_get(()).await?;
        let project = host.project().await?;
        let (now, usual) = (json!(settings), json!(Settings::default()));
        let mut all = Vec::new();
        for (name, shape) in shape::all() {
            let (at, of) = (pointer(&name), |of: &Value, at: &str| {
                of.pointer(at).cloned().unwrap_or_default()
            });
            let (value, default) = (of(&now, &at), of(&usual, &at));
            match name.as_str() {
                "proxy" => add(&mut all, name, Shape::Text, proxy(&value), proxy(&default)),
                "tasks" => {
                    for kind in TASKS {
                        let shape = Shape::Maybe(Box::new(Shape::Text));
                        let name = format!("tasks.{kind}");
                        add(&mut all, name, shape, task(&value[kind]), Value::Null);
                    }
                }
                _ => add(&mut all, name, shape, value, default),
            }
        }
        if let Some(project) = &project {
            let panel = host.app.tool_panel(ToolsAt { project_id: Some(project.id) }).await?;
            let network = settings.tools.network.contains(&project.id);
            let texts = Shape::List(Box::new(Shape::Text));
            for (name, shape, value, default) in [
                ("project.exclude", texts, json!(project.exclude), json!([])),
                (
                    "project.this_computer_only",
                    Shape::Switch,
                    json!(project.this_computer_only),
                    json!(false),
                ),
                ("project.commands", Shape::Switch, json!(panel.commands_allowed), json!(false)),
                ("project.network", Shape::Switch, json!(network), json!(false)),
            ] {
                add(&mut all, name.to_owned(), shape, value, default);
            }
        }
        Ok(Self { settings, project, all })
    }

    fn named(&self, host: &Host, name: &str) -> Result<&Setting, Stop> {
        if let Some(found) = self.all.iter().find(|setting| setting.name == name) {
            return Ok(found);
        }
        if name.starts_with("project.") && WORDS.iter().any(|words| words.name == name) {
            return Err(Failure::new(Code::NotFound, "no project here; name one").into());
        }
        let message = host.out.lang.count("no setting {}", "{} 설정은 없습니다", name);
        let all = host.out.lang.pick(
            "`silt settings list` names them all.",
            "`silt settings list`로 모두 볼 수 있습니다.",
        );
        let near = self.all.iter().map(|it| it.name.as_str()).filter(|it| it.contains(name));
        let near: Vec<&str> = near.take(NEAR).collect();
        let hint = match near.is_empty() {
            true => all.to_owned(),
            false => {
                let near = near.join(", ");
                host.out.lang.pick("Perhaps: {}. ", "혹시: {}. ").replace("{}", &near) + all
            }
        };
        Err(Stop::Value { message, hint })
    }

    fn changeable(&self, host: &Host, name: &str) -> Result<&Setting, Stop> {
        let setting = self.named(host, name)?;
        match setting.words.with {
            None => Ok(setting),
            Some(with) => {
                let lang = host.out.lang;
                let said =
                    lang.count("{} is not changed here", "{} 설정은 여기서 바꾸지 않습니다", name);
                let hint = lang.count("Change it with {}.", "{}(으)로 바꿔 주세요.", with);
                Err(Stop::Value { message: said, hint })
            }
        }
    }

    /// The value that was typed, if the setting may be that.
    async fn typed(&self, host: &Host, setting: &Setting, typed: &[String]) -> Result<Value, Stop> {
        let providers = match setting.name.as_str() {
            "default_provider" => host.app.provider_list(()).await?,
            _ => Vec::new(),
        };
        let names: Vec<&str> = providers.iter().map(|provider| provider.name.as_str()).collect();
        let refused = || {
            let allowed = match names.as_slice() {
                [] => self.allowed(host.out.lang, setting),
                names => one_of(host.out.lang, names),
            };
            let lang = host.out.lang;
            let said = lang.pick("{} cannot be {}", "{} 설정에 쓸 수 없는 값입니다: {}");
            let said = said.replacen("{}", &setting.name, 1).replacen("{}", &typed.join(" "), 1);
            let hint = lang.count("It may be {}.", "쓸 수 있는 값: {}", allowed);
            Stop::Value { message: said, hint }
        };
        let value = parsed(&setting.shape, typed).ok_or_else(refused)?;
        let known = names.is_empty() || value.as_str().is_some_and(|name| names.contains(&name));
        let stays = match self.with(setting, value.clone()) {
            Some(changed) => held(&changed.within_limits(), setting) == value,
            None => setting.name.starts_with("project."),
        };
        (known && stays).then_some(value).ok_or_else(refused)
    }

    /// The settings with this value; `None` where that is none of theirs.
    fn with(&self, setting: &Setting, value: Value) -> Option<Settings> {
        let mut all = json!(self.settings);
        let value = match setting.name.as_str() {
            "proxy" => match value.as_str()? {
                by @ ("system" | "direct") => json!({"by": by}),
                url => json!({"by": "address", "url": url}),
            },
            name if name.starts_with("tasks.") => match value.as_str() {
                Some(said) => {
                    let (provider, model) = said.split_once(' ')?;
                    json!({"provider": provider, "model": model})
                }
                None => {
                    all["tasks"].as_object_mut()?.remove(&name["tasks.".len()..]);
                    return serde_json::from_value(all).ok();
                }
            },
            _ => value,
        };
        match setting.name.strip_prefix("tasks.") {
            Some(kind) => all["tasks"][kind] = value,
            None => *all.pointer_mut(&pointer(&setting.name))? = value,
        }
        serde_json::from_value(all).ok()
    }

    async fn store(&self, host: &Host, setting: &Setting, value: Value) -> Result<(), Stop> {
        if let (Some(project), Some(_)) = (&self.project, setting.name.strip_prefix("project.")) {
            return self.store_of_project(host, project, setting, &value).await;
        }
        let none = || Failure::new(Code::BadRequest, format!("{} cannot be that", setting.name));
        let changed = self.with(setting, value).ok_or_else(none)?;
        host.app.settings_set(changed).await?;
        Ok(())
    }

    async fn store_of_project(
        &self,
        host: &Host,
        project: &Project,
        setting: &Setting,
        value: &Value,
    ) -> Result<(), Stop> {
        let (id, on) = (project.id, value == &json!(true));
        match setting.name.as_str() {
            "project.exclude" => {
                let patterns = value.as_array().into_iter().flatten();
                let patterns = patterns.filter_map(|it| it.as_str().map(str::to_owned)).collect();
                host.app.project_exclude(ExcludeFiles { id, patterns }).await?;
            }
            "project.this_computer_only" => {
                host.app.project_reach(ReachProject { id, this_computer_only: on }).await?;
            }
            "project.commands" => {
                host.app.tool_commands(AllowCommands { project_id: id, allowed: on }).await?;
            }
            _ => {
                let mut settings = self.settings.clone();
                settings.tools.network.retain(|known| *known != id);
                settings.tools.network.extend(on.then_some(id));
                host.app.settings_set(settings).await?;
            }
        }
        Ok(())
    }

    /// What a setting may be, in words.
    fn allowed(&self, lang: Lang, setting: &Setting) -> String {
        if setting.name == "proxy" {
            return lang
                .pick("system, direct, or an address", "system, direct 또는 주소")
                .to_owned();
        }
        if setting.name.starts_with("tasks.") {
            return lang
                .pick("\"PROVIDER MODEL\", or none", "\"제공자 모델\" 또는 none")
                .to_owned();
        }
        self.allowed_of(lang, setting, &setting.shape)
    }

    fn allowed_of(&self, lang: Lang, setting: &Setting, shape: &Shape) -> String {
        match shape {
            Shape::Switch => lang.pick("true or false", "true 또는 false").to_owned(),
            Shape::Choice(names) => one_of(lang, names),
            Shape::Whole { most } => {
                let (low, high) =
                    (self.held_at(setting, json!(0)), self.held_at(setting, json!(most)));
                let said = lang.pick("a whole number from {} to {}", "{}에서 {} 사이의 정수");
                said.replacen("{}", &low, 1).replacen("{}", &high, 1)
            }
            Shape::Fraction => {
                let (low, high) =
                    (self.held_at(setting, json!(-FAR)), self.held_at(setting, json!(FAR)));
                let said = lang.pick("a number from {} to {}", "{}에서 {} 사이의 수");
                let ends = said.replacen("{}", &low, 1).replacen("{}", &high, 1);
                lang.count("{} in steps of 0.05", "{}, 0.05 단위", ends)
            }
            Shape::Maybe(inner) => {
                let inner = self.allowed_of(lang, setting, inner);
                lang.count("{}, or none", "{} 또는 none", inner)
            }
            Shape::List(_) => {
                lang.pick("texts, each an argument of its own", "글 여럿, 하나씩 인자로").to_owned()
            }
            Shape::Text | Shape::Table | Shape::Group(_) => lang.pick("a text", "글").to_owned(),
        }
    }

    /// What becomes of a value that is too small or too large.
    fn held_at(&self, setting: &Setting, value: Value) -> String {
        let changed = self.with(setting, value.clone());
        let held = changed.map_or(value, |changed| held(&changed.within_limits(), setting));
        held.to_string()
    }
}

/// The value that settings hold.
fn held(settings: &Settings, setting: &Setting) -> Value {
    let all = json!(settings);
    match setting.name.strip_prefix("tasks.") {
        Some(kind) => task(&all["tasks"][kind]),
        None if setting.name == "proxy" => proxy(&all["proxy"]),
        None => all.pointer(&pointer(&setting.name)).cloned().unwrap_or_default(),
    }
}

fn add(all: &mut Vec<Setting>, name: String, shape: Shape, value: Value, default: Value) {
    // A test holds that there are words for every one.
    if let Some(words) = WORDS.iter().find(|words| words.name == name) {
        all.push(Setting { name, shape, value, default, words });
    }
}

fn pointer(name: &str) -> String {
    format!("/{}", name.replace('.', "/"))
}

fn proxy(value: &Value) -> Value {
    value.get("url").or_else(|| value.get("by")).cloned().unwrap_or_default()
}

fn task(value: &Value) -> Value {
    match (value["provider"].as_str(), value["model"].as_str()) {
        (Some(provider), Some(model)) => json!(format!("{provider} {model}")),
        _ => Value::Null,
    }
}

fn parsed(shape: &Shape, typed: &[String]) -> Option<Value> {
    let said = typed.join(" ");
    match shape {
        Shape::Switch => said.parse::<bool>().ok().map(Value::from),
        Shape::Whole { most } => said.parse::<u64>().ok().filter(|it| it <= most).map(Value::from),
        Shape::Fraction => said.parse::<f64>().ok().filter(|it| it.is_finite()).map(Value::from),
        Shape::Text => Some(Value::from(said)),
        Shape::Choice(names) => names.contains(&said.as_str()).then(|| Value::from(said)),
        Shape::Maybe(_) if said == "none" => Some(Value::Null),
        Shape::Maybe(inner) => parsed(inner, typed),
        Shape::List(inner) => {
            typed.iter().map(|one| parsed(inner, std::slice::from_ref(one))).collect()
        }
        Shape::Group(_) | Shape::Table => None,
    }
}

fn one_of(lang: Lang, names: &[&str]) -> String {
    lang.count("one of {}", "{} 가운데 하나", names.join(", "))
}

fn list(host: &Host, desk: &Desk, part: &str) -> Result<(), Stop> {
    let lang = host.out.lang;
    let found: Vec<&Setting> = desk.all.iter().filter(|it| it.name.contains(part)).collect();
    if host.out.json {
        let all: Vec<Value> = found.iter().map(|setting| fields(lang, desk, setting)).collect();
        return host.out.value(&json!({"settings": all}));
    }
    let wide = found.iter().map(|setting| setting.name.len()).max().unwrap_or_default();
    if found.is_empty() {
        host.out.note(&lang.count("no setting is called like {}", "{} 같은 설정은 없습니다", part));
    }
    found.iter().try_for_each(|setting| {
        let mark = if setting.value == setting.default { ' ' } else { '*' };
        let (name, value) = (&setting.name, shown(lang, &setting.value));
        let means = lang.pick(setting.words.en, setting.words.ko);
        host.out.line(&format!("{mark} {name:<wide$}  {value}  — {means}"))
    })
}

async fn again(host: &Host, name: &str) -> Result<(), Stop> {
    let desk = Desk::of(host).await?;
    let setting = desk.named(host, name)?;
    if host.out.json {
        return host.out.value(&fields(host.out.lang, &desk, setting));
    }
    host.out.line(&format!("{name}  {}", shown(host.out.lang, &setting.value)))
}

fn get(host: &Host, desk: &Desk, setting: &Setting) -> Result<(), Stop> {
    let lang = host.out.lang;
    if host.out.json {
        return host.out.value(&fields(lang, desk, setting));
    }
    host.out.line(&shown(lang, &setting.value))?;
    // What a script reads is the value alone.
    host.out.note(lang.pick(setting.words.en, setting.words.ko));
    let allowed = match setting.words.with {
        Some(with) => lang.count("change it with {}", "{}(으)로 바꿈", with),
        None => {
            let allowed = desk.allowed(lang, setting);
            lang.count("may be {}", "쓸 수 있는 값: {}", allowed)
        }
    };
    host.out.note(&allowed);
    host.out.note(&lang.count("default: {}", "기본값: {}", shown(lang, &setting.default)));
    Ok(())
}

fn fields(lang: Lang, desk: &Desk, setting: &Setting) -> Value {
    json!({
        "name": setting.name,
        "value": setting.value,
        "default": setting.default,
        "allowed": setting.words.with.is_none().then(|| desk.allowed(lang, setting)),
        "change_with": setting.words.with,
        "means": lang.pick(setting.words.en, setting.words.ko),
    })
}

fn shown(lang: Lang, value: &Value) -> String {
    let nothing = || lang.pick("(nothing)", "(없음)").to_owned();
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => nothing(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.is_empty() => nothing(),
        Value::Array(all) => {
            let shown: Vec<String> = all.iter().map(|it| shown(lang, it)).collect();
            shown.join(", ")
        }
        Value::Object(all) if all.is_empty() => nothing(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_words_and_every_word_a_setting() {
        let names = shape::all().into_iter().map(|(name, _)| name);
        let tasks = || TASKS.iter().map(|kind| format!("tasks.{kind}"));
        let names: Vec<String> = names
            .flat_map(|name| if name == "tasks" { tasks().collect() } else { vec![name] })
            .collect();
        let worded =
            || WORDS.iter().map(|words| words.name).filter(|it| !it.starts_with("project."));
        assert_eq!(worded().collect::<Vec<_>>(), names);
        assert!(WORDS.iter().all(|words| !words.en.is_empty() && !words.ko.is_empty()));
    }

    #[test]
    fn what_no_word_says_has_a_command_of_its_own() {
        let plain = |shape: &Shape| match shape {
            Shape::Maybe(inner) | Shape::List(inner) => {
                !matches!(**inner, Shape::Group(_) | Shape::Table)
            }
            Shape::Group(_) | Shape::Table => false,
            _ => true,
        };
        for (name, shape) in shape::all().iter().filter(|(_, shape)| !plain(shape)) {
            let own = ["proxy", "tasks"].contains(&name.as_str());
            let with = WORDS.iter().find(|words| words.name == *name).and_then(|it| it.with);
            assert!(own || with.is_some(), "{name}: {shape:?}");
        }
    }
}
