//! Requests drafts of letters from a language model server with an OpenAI-compatible API.

use std::time::Duration;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::middleware::ReqwestService;
use async_openai::middleware::retry::OpenAIRetryLayer;
use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionRequestSystemMessageArgs, ChatCompletionRequestUserMessageArgs,
    CreateChatCompletionRequest, CreateChatCompletionRequestArgs,
};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use tower::ServiceBuilder;

use super::prompt::Prompt;
use crate::settings::Ai;

pub(super) struct Model {
    client: Client<OpenAIConfig>,
    name: String,
    max_tokens: u32,
    timeout: Duration,
}

/// Reasons why the language model returned no draft. The error may contain text from the server.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    #[error(transparent)]
    Api(#[from] OpenAIError),
    #[error("no answer within {0} s")]
    Timeout(u64),
    #[error("the answer is empty")]
    Empty,
}

impl ModelError {
    /// Returns the kind of the error, for the log. The server's error text is not logged, because it can contain the prompt, the draft, or
    /// a part of the API key.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Api(OpenAIError::Reqwest(_)) => "no connection, or no answer over it",
            Self::Api(OpenAIError::ApiError(_)) => "the server refused",
            Self::Api(OpenAIError::JSONDeserialize(..)) => "the answer is not of the protocol",
            Self::Api(OpenAIError::StreamError(_)) => "the stream is not of the protocol",
            Self::Api(_) => "the request could not be made",
            Self::Timeout(_) => "no answer in time",
            Self::Empty => "the answer is empty",
        }
    }
}

impl Model {
    /// Returns the configured language model; `None` if neither an API key nor a base URL is configured.
    pub(super) fn from_settings(settings: &Ai, http: &reqwest::Client) -> Option<Self> {
        if !settings.is_configured() {
            return None;
        }
        let mut config = OpenAIConfig::new()
            // Without this call, the HTTP client would read the API key from the environment; only the configuration may set the API key.
            .with_api_key(settings.api_key.as_ref().map_or("none", |key| key.expose()))
            .with_org_id("")
            .with_project_id("");
        config = config.with_api_base(settings.base());
        let service = ServiceBuilder::new().layer(OpenAIRetryLayer::new(1)).service(ReqwestService::new(http.clone()));
        Some(Self {
            client: Client::build(http.clone(), config).with_http_service(service),
            name: settings.model.clone(),
            max_tokens: settings.max_tokens,
            timeout: Duration::from_secs(settings.timeout_seconds),
        })
    }

    /// Name of the model on the server.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Requests a whole draft. Retries once after a temporary failure (429, 5xx, no connection). The timeout covers both attempts.
    pub(super) async fn draft(&self, prompt: &Prompt) -> Result<String, ModelError> {
        let request = self.request(prompt)?;
        let answer = tokio::time::timeout(self.timeout, self.client.chat().create(request)).await;
        let answer = answer.map_err(|_| ModelError::Timeout(self.timeout.as_secs()))??;
        let text = answer.choices.into_iter().next().and_then(|choice| choice.message.content);
        text.filter(|text| !text.trim().is_empty()).ok_or(ModelError::Empty)
    }

    /// Requests a draft as a stream. The timeout applies to the wait for the first piece of text and to each pause between two pieces. The
    /// whole stream may take three times the timeout.
    pub(super) async fn stream(
        &self,
        prompt: &Prompt,
    ) -> Result<BoxStream<'static, Result<String, ModelError>>, ModelError> {
        let request = self.request(prompt)?;
        let chat = self.client.chat();
        let stream = tokio::time::timeout(self.timeout, chat.create_stream(request)).await;
        let stream = stream.map_err(|_| ModelError::Timeout(self.timeout.as_secs()))??;
        let pieces = stream.map(|event| {
            let text = event?.choices.into_iter().next().and_then(|choice| choice.delta.content);
            Ok(text.unwrap_or_default())
        });
        Ok(with_timeout(pieces, self.timeout).boxed())
    }

    fn request(&self, prompt: &Prompt) -> Result<CreateChatCompletionRequest, OpenAIError> {
        let system = ChatCompletionRequestSystemMessageArgs::default().content(prompt.system.as_str()).build()?;
        let user = ChatCompletionRequestUserMessageArgs::default().content(prompt.user.as_str()).build()?;
        let messages: Vec<ChatCompletionRequestMessage> = vec![system.into(), user.into()];
        CreateChatCompletionRequestArgs::default()
            .model(&self.name)
            .messages(messages)
            .max_completion_tokens(self.max_tokens)
            .build()
    }
}

/// Ends a stream with an error if the wait for a piece of text, or the whole stream, exceeds its timeout.
fn with_timeout(
    pieces: impl Stream<Item = Result<String, ModelError>> + Send + 'static,
    timeout: Duration,
) -> impl Stream<Item = Result<String, ModelError>> + Send {
    let end = tokio::time::Instant::now() + timeout * 3;
    let late = ModelError::Timeout;
    futures_util::stream::unfold(Some(Box::pin(pieces)), move |pieces| async move {
        let mut pieces = pieces?;
        let deadline = end.min(tokio::time::Instant::now() + timeout);
        match tokio::time::timeout_at(deadline, pieces.next()).await {
            Ok(Some(Ok(piece))) => Some((Ok(piece), Some(pieces))),
            Ok(Some(Err(error))) => Some((Err(error), None)),
            Ok(None) => None,
            Err(_) => Some((Err(late(timeout.as_secs())), None)),
        }
    })
}
