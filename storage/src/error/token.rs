//! Converts token errors into errors of the storage API.

use cloch_sql::caller::TokenError;

use super::Error;

/// Returns the text for clients about a refused token, in the `Authorization` header or in a signed URL.
#[must_use]
pub(crate) fn token_error_text(error: &TokenError) -> &'static str {
    match error {
        TokenError::Empty | TokenError::Parts(_) | TokenError::Claims => "Invalid Compact JWS",
        TokenError::Algorithm => "\"alg\" (Algorithm) Header Parameter value not allowed",
        TokenError::NoKey | TokenError::Signature => "signature verification failed",
        TokenError::Expired => "\"exp\" claim timestamp check failed",
        TokenError::NotYetValid => "\"nbf\" claim timestamp check failed",
        TokenError::IssuedInFuture => "\"iat\" claim timestamp check failed (it should be in the past)",
        TokenError::NotANumber("exp") => "\"exp\" claim must be a number",
        TokenError::NotANumber("nbf") => "\"nbf\" claim must be a number",
        TokenError::NotANumber(_) => "\"iat\" claim must be a number",
        TokenError::NotAnAccessToken | TokenError::ForeignRole | TokenError::RealtimeOnly => "unexpected kind of token",
        TokenError::Role(_) => "unexpected \"role\" claim value",
        TokenError::AudienceType => "unexpected \"aud\" claim value",
    }
}

impl Error {
    /// Returns the error for a refused `Authorization` header.
    #[must_use]
    pub fn unauthorized(error: &TokenError) -> Self {
        Self::AccessDenied(match error {
            TokenError::Role(refusal) => refusal.to_string(),
            other => token_error_text(other).to_owned(),
        })
    }

    /// Returns the error for a refused token of a signed URL.
    #[must_use]
    pub fn invalid_jwt(error: &TokenError) -> Self {
        Self::InvalidJwt(token_error_text(error))
    }
}
