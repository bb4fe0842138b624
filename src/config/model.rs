//! The settings of the model: which engine proposes repairs, where the model is, what it may cost.
//!
//! Where the model is and what opens it never comes from the project's file: a repository could send a person's key and
//! pages to an address of its own. The key itself is in no setting at all.

use std::time::Duration;

use serde::Deserialize;

use crate::adapters::openai::{Endpoint, Modes, OpenAi, key_from};
use crate::domain::budget::Limits;
use crate::domain::redact::{Redactor, is_secret_name};
use crate::error::Error;
use crate::heal::{Advisor, Engine, Prices};

/// How long one reply may take, unless told otherwise: a large model on a local machine needs minutes.
const REPLY_SECONDS: u64 = 180;
/// The variable that holds the key.
pub const KEY: &str = "OPENAI_API_KEY";
/// Variables of the model's that no test may see.
const OURS: [&str; 4] = [KEY, "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"];

/// The flags of the model.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ModelFlags {
    /// Who proposes repairs [default: ranker]
    #[arg(long, value_enum, env = "RELOCATOR_ENGINE", help_heading = "Model")]
    pub engine: Option<Engine>,
    /// The model's name
    #[arg(long, value_name = "NAME", env = "RELOCATOR_MODEL", help_heading = "Model")]
    pub model: Option<String>,
    /// Address of an OpenAI-compatible server [default: <https://api.openai.com/v1>]
    #[arg(long, value_name = "URL", env = "OPENAI_BASE_URL", hide_env_values = true, help_heading = "Model")]
    pub base_url: Option<String>,
    /// A command that prints the key [default: the key is in `OPENAI_API_KEY`]
    #[arg(long, value_name = "COMMAND", env = "RELOCATOR_KEY_COMMAND", hide_env_values = true, help_heading = "Model")]
    pub key_command: Option<String>,
    /// Print the conversation with the model as it happens
    #[arg(long, help_heading = "Model")]
    pub transcript: bool,
}

/// What may stand under `[model]` in the settings file.
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelTable {
    name: Option<String>,
    allow_remote: Option<bool>,
    reply_timeout: Option<std::num::NonZeroU64>,
    max_replies: Option<u32>,
    max_rejected: Option<u32>,
    max_tokens: Option<u64>,
    max_seconds: Option<u64>,
    price_input: Option<f64>,
    price_output: Option<f64>,
}

/// What a project's file says of the model.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ProjectModel {
    pub(super) engine: Option<Engine>,
    pub(super) table: ModelTable,
}

/// The model's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// Who proposes repairs.
    pub engine: Engine,
    /// The model's name.
    pub model: Option<String>,
    /// Its address; `None` for OpenAI's own.
    pub base_url: Option<String>,
    /// The command that prints the key.
    pub key_command: Option<String>,
    /// Whether anything may be sent to another machine.
    pub allow_remote: bool,
    /// How long one reply may take.
    pub reply_timeout: Duration,
    /// What a conversation may cost.
    pub limits: Limits,
    /// What tokens cost.
    pub prices: Option<Prices>,
}

impl ModelSettings {
    /// Who asks `model` during a repair.
    pub fn advisor<'m>(&self, model: &'m mut OpenAi, redactor: Redactor) -> Advisor<'m> {
        Advisor { model, engine: self.engine, limits: self.limits, prices: self.prices, redactor }
    }

    /// The flags over what the project's file says over the defaults.
    pub fn merge(flags: &ModelFlags, project: &ProjectModel) -> Self {
        let (usual, table) = (Limits::default(), &project.table);
        let prices = table.price_input.zip(table.price_output).map(|(input, output)| Prices { input, output });
        let seconds = table.reply_timeout.map_or(REPLY_SECONDS, std::num::NonZeroU64::get);
        Self {
            engine: flags.engine.or(project.engine).unwrap_or_default(),
            model: flags.model.clone().or_else(|| table.name.clone()),
            base_url: flags.base_url.clone(),
            key_command: flags.key_command.clone(),
            allow_remote: table.allow_remote.unwrap_or(true),
            reply_timeout: Duration::from_secs(seconds),
            limits: Limits {
                rejected: table.max_rejected.unwrap_or(usual.rejected),
                steps: table.max_replies.unwrap_or(usual.steps),
                tokens: table.max_tokens.unwrap_or(usual.tokens),
                wall: table.max_seconds.map_or(usual.wall, Duration::from_secs),
                ..usual
            },
            prices,
        }
    }

    /// The model, ready to be asked; `None` where the engine needs none.
    pub async fn open(&self, modes: Modes) -> Result<Option<OpenAi>, Error> {
        if self.engine == Engine::Ranker {
            return Ok(None);
        }
        let key = key_from(self.key_command.as_deref(), std::env::var(KEY).ok()).await?;
        let name = self.model.clone().unwrap_or_default();
        let endpoint = Endpoint::new(self.base_url.as_deref(), &name, key)?;
        if !self.allow_remote && !endpoint.is_loopback() {
            return Err(Error::usage(format!("this project sends nothing to another machine: {}", endpoint.shown()))
                .hinted("`allow_remote = false` stands under `[model]` in relocator.toml")
                .hinted("use a local server (OPENAI_BASE_URL=http://127.0.0.1:…/v1), or --engine ranker"));
        }
        Ok(Some(OpenAi::new(endpoint, self.reply_timeout, modes)?))
    }

    /// Variables that are taken from the environment of everything that is started: the model's key is nobody else's. With
    /// a key command the variables are the project's own.
    pub fn hidden_variables(&self) -> Vec<String> {
        if self.engine == Engine::Ranker || self.key_command.is_some() {
            return Vec::new();
        }
        OURS.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// What must not leave the machine, or be kept: values of variables that are named for secrets or are among `names`, what
/// stands behind one of `names`, and the model's own key.
pub fn redactor(model: Option<&OpenAi>, names: &[String]) -> Redactor {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    // Two names that end like a password's are those of folders.
    let folder = |name: &str| matches!(name, "PWD" | "OLDPWD");
    let is_secret = |name: &str| (is_secret_name(name) && !folder(name)) || names.iter().any(|known| known == name);
    let secret = variables.filter(|(name, _)| is_secret(name)).map(|(_, value)| value);
    let key = model.and_then(|model| model.endpoint().secret()).map(str::to_owned);
    Redactor::new(secret.chain(key)).with_names(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_wins_over_the_file_and_an_address_comes_from_no_file() {
        let table: ModelTable = toml::from_str("name = \"small\"\nallow_remote = false\nmax_tokens = 7").unwrap();
        let project = ProjectModel { engine: Some(Engine::Auto), table };
        let flags = ModelFlags { engine: Some(Engine::Model), model: Some("large".into()), ..ModelFlags::default() };
        let merged = ModelSettings::merge(&flags, &project);
        assert_eq!((merged.engine, merged.model.as_deref()), (Engine::Model, Some("large")));
        assert_eq!((merged.allow_remote, merged.limits.tokens), (false, 7));
        assert_eq!(ModelSettings::merge(&ModelFlags::default(), &project).engine, Engine::Auto);
        assert_eq!(ModelSettings::merge(&ModelFlags::default(), &ProjectModel::default()).engine, Engine::Ranker);
        for key in ["base_url", "key", "key_command", "api_key"] {
            assert!(toml::from_str::<ModelTable>(&format!("{key} = \"x\"")).is_err(), "{key}");
        }
    }

    #[tokio::test]
    async fn a_project_can_forbid_that_anything_is_sent_away() {
        let settings = |base: &str, allow_remote| ModelSettings {
            base_url: Some(base.to_owned()),
            // A command, so that no variable of the machine that runs the tests plays a part.
            key_command: Some("echo k".to_owned()),
            allow_remote,
            ..ModelSettings::merge(
                &ModelFlags { engine: Some(Engine::Auto), model: Some("m".into()), ..ModelFlags::default() },
                &ProjectModel::default(),
            )
        };
        for (base, allow_remote, opens) in [
            ("https://api.example.org/v1", true, true),
            ("https://api.example.org/v1", false, false),
            ("http://127.0.0.1:1/v1", false, true),
        ] {
            let opened = settings(base, allow_remote).open(Modes::default()).await;
            assert_eq!(opened.is_ok(), opens, "{base} {allow_remote}: {opened:?}");
        }
    }

    #[test]
    fn the_key_is_hidden_from_children_where_it_is_ours() {
        let with = |engine, key_command: Option<&str>| {
            let flags = ModelFlags {
                engine: Some(engine),
                key_command: key_command.map(str::to_owned),
                ..ModelFlags::default()
            };
            ModelSettings::merge(&flags, &ProjectModel::default()).hidden_variables().contains(&KEY.to_owned())
        };
        assert!(with(Engine::Model, None) && with(Engine::Auto, None));
        assert!(!with(Engine::Ranker, None) && !with(Engine::Auto, Some("pass show key")));
    }
}
