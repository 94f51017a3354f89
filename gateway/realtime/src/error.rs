//! Errors of sockets and channels, with the error messages of Supabase's Realtime server.

use axum::Json;
use axum::response::{IntoResponse, Response};
use cloch_sql::caller::TokenError;
use cloch_sql::caller::roles::RoleRefusal;
use http::StatusCode;
use http::header::RETRY_AFTER;
use serde_json::json;

use super::frame::NoValue;
use super::join_fields::WrongField;

/// `Retry-After` in seconds for a client whose socket is refused because a limit is reached.
const SOCKET_RETRY_SECONDS: u16 = 10;

/// Reasons to refuse a join. The error text is the field `reason` of the reply to the client.
#[derive(Debug, thiserror::Error)]
pub(super) enum JoinError {
    #[error("TopicNameRequired: You must provide a topic name")]
    NoTopic,
    #[error("TopicNameTooLong: A topic name has at most {0} bytes")]
    LongTopic(usize),
    #[error("unmatched topic")]
    UnmatchedTopic,
    #[error("InvalidJoinPayload: a number is out of range, or a text is not Unicode")]
    Unreadable,
    #[error("InvalidJoinPayload: {0}")]
    Field(#[from] WrongField),
    #[error("JoinTooLarge: The client holds too much, or the join has too many settings")]
    TooLarge,
    #[error("ChannelRateLimitReached: Too many channels")]
    TooManyChannels,
    #[error("ClientJoinRateLimitReached: Too many joins per second")]
    TooManyJoins,
    #[error("{0}")]
    Token(#[from] TokenRefused),
    #[error("Unauthorized: You do not have permissions to read from this Channel topic: {0}")]
    Unauthorized(String),
    #[error("You no longer have permission to read from this Channel topic: {0}")]
    ReadRevoked(String),
    #[error("UnableToReplayMessages: Replay is not allowed for public channels")]
    PublicReplay,
    #[error("UnableToReplayMessages: Replay params are not valid")]
    ReplayParameters,
    #[error("QueryCanceled: The policies of the channel take too long")]
    PolicyTimeout,
    #[error("UnableToConnectToProject: Database can't be reached")]
    Database(#[source] sqlx::Error),
}

impl From<NoValue> for JoinError {
    fn from(error: NoValue) -> Self {
        match error {
            NoValue::TooLarge => Self::TooLarge,
            NoValue::Unreadable => Self::Unreadable,
        }
    }
}

/// Reasons to refuse an access token.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenRefused {
    #[error("InvalidJWTToken: Token has expired {0} seconds ago")]
    Expired(i64),
    #[error("InvalidJWTToken: Fields `role` and `exp` are required in JWT")]
    Fields,
    #[error("InvalidJWTToken: The session of the token has ended")]
    SessionEnded,
    #[error("InvalidJWTToken: {0}")]
    Role(RoleRefusal),
    #[error("MalformedJWT: The token provided is not a valid JWT")]
    Malformed,
    #[error("JwtSignatureError: Failed to validate JWT signature")]
    Signature,
}

impl From<TokenError> for TokenRefused {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Expired | TokenError::NotYetValid | TokenError::IssuedInFuture => Self::Expired(0),
            TokenError::Empty | TokenError::Parts(_) | TokenError::Claims => Self::Malformed,
            TokenError::Algorithm | TokenError::NoKey | TokenError::Signature => Self::Signature,
            TokenError::Role(refusal) => Self::Role(refusal),
            TokenError::NotANumber(_)
            | TokenError::AudienceType
            | TokenError::NotAnAccessToken
            | TokenError::RealtimeOnly
            | TokenError::ForeignRole => Self::Fields,
        }
    }
}

/// Reasons to refuse a new socket.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("missing API key")]
    NoKey,
    #[error("unsupported serializer version")]
    Version,
    #[error("ConnectionRateLimitReached: Too many connected users")]
    TooManySockets,
    #[error("{0}")]
    Token(#[from] TokenRefused),
}

impl IntoResponse for ConnectError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Version => StatusCode::BAD_REQUEST,
            Self::TooManySockets => StatusCode::TOO_MANY_REQUESTS,
            Self::NoKey | Self::Token(_) => StatusCode::UNAUTHORIZED,
        };
        let mut response = (status, Json(json!({ "error": self.to_string() }))).into_response();
        if status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(RETRY_AFTER, SOCKET_RETRY_SECONDS.into());
        }
        response
    }
}
