//! Reads `[ai]` of cloch.toml: a server with an OpenAI-compatible API, in the cloud or on this machine.

use std::collections::BTreeMap;

use cloch_core::Secret;
use serde::Deserialize;
use toml::{Table, Value};
use url::Url;

use super::{CLOCH_TOML, CONFIG_TOML, SettingsError, problem, section};

/// Settings of the language model server, which `Supabase.ai` and the drafts of letters use. Both features are disabled if neither an API key
/// nor a base URL is set.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ai {
    /// Base URL of the API, for example `https://api.openai.com/v1` or the URL of a server on this machine. Also read from the secret
    /// `OPENAI_BASE_URL`.
    pub base_url: Option<Url>,
    /// API key; a local server may not need one. Also read from the secret `OPENAI_API_KEY`.
    pub api_key: Option<Secret>,
    /// Name of the model that drafts letters.
    pub model: String,
    /// Name of the embedding model on the server. Functions use this model under the name `gte-small`.
    pub embedding_model: String,
    /// Timeout of one attempt in seconds.
    pub timeout_seconds: u64,
    /// Maximum length of a draft in tokens.
    pub max_tokens: u32,
    /// Maximum number of drafts per hour of all callers together, which limits the cost.
    pub drafts_hourly: u32,
}

impl Default for Ai {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            model: "gpt-4o-mini".to_owned(),
            embedding_model: "gte-small".to_owned(),
            timeout_seconds: 20,
            max_tokens: 700,
            drafts_hourly: 200,
        }
    }
}

impl Ai {
    /// Parses the section `[ai]`. The caller of this function reports unknown keys.
    ///
    /// # Errors
    /// If a value has the wrong type or is out of range. The error names the file, the key and the allowed values.
    pub fn read(table: &Table, secrets: &BTreeMap<String, Secret>) -> Result<Self, SettingsError> {
        let mut ai: Self = section(CLOCH_TOML, "ai", Some(&Value::Table(table.clone())))?;
        if !(1..=120).contains(&ai.timeout_seconds) {
            return Err(problem(CLOCH_TOML, "ai.timeout_seconds".to_owned(), "must be 1 to 120"));
        }
        if !(50..=4000).contains(&ai.max_tokens) {
            return Err(problem(CLOCH_TOML, "ai.max_tokens".to_owned(), "must be 50 to 4000"));
        }
        ai.api_key = ai.api_key.or_else(|| secrets.get("OPENAI_API_KEY").cloned());
        if let (None, Some(text)) = (&ai.base_url, secrets.get("OPENAI_BASE_URL")) {
            let key = "edge_runtime.secrets.OPENAI_BASE_URL".to_owned();
            let url = text.expose().parse();
            ai.base_url = Some(url.map_err(|_| problem(CONFIG_TOML, key, "must be an http:// or https:// URL"))?);
        }
        Ok(ai)
    }

    /// Returns the base URL of the API without a trailing slash.
    #[must_use]
    pub fn base(&self) -> &str {
        self.base_url.as_ref().map_or("https://api.openai.com/v1", Url::as_str).trim_end_matches('/')
    }

    /// Whether a language model server is configured.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        self.api_key.as_ref().is_some_and(|key| !key.is_empty()) || self.base_url.is_some()
    }
}
