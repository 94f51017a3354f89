//! `[ai]` of cloch.toml: any server that speaks the OpenAI protocol, in the cloud or on this machine.

use cloch_sql::Secret;
use serde::Deserialize;
use url::Url;

/// The language model that drafts letters. Without a key or a base URL, templates draft them.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ai {
    /// Where the protocol is spoken, such as `https://api.openai.com/v1` or a local server's. Also the secret `OPENAI_BASE_URL`.
    pub base_url: Option<Url>,
    /// Its key; a local server may need none. Also the secret `OPENAI_API_KEY`.
    pub api_key: Option<Secret>,
    /// Which model.
    pub model: String,
    /// How long one attempt may take.
    pub timeout_seconds: u64,
    /// The length of a draft.
    pub max_tokens: u32,
    /// Drafts an hour, of everybody together: what bounds the bill.
    pub drafts_hourly: u32,
}

impl Default for Ai {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            model: "gpt-4o-mini".to_owned(),
            timeout_seconds: 20,
            max_tokens: 700,
            drafts_hourly: 200,
        }
    }
}

impl Ai {
    /// Whether there is a model to ask.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        self.api_key.as_ref().is_some_and(|key| !key.is_empty()) || self.base_url.is_some()
    }
}
