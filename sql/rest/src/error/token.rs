//! Converts errors of invalid or rejected access tokens to API errors.

use http::{StatusCode, header};

use super::ApiError;
use cloch_sql::caller::TokenError;
use cloch_sql::caller::roles::RoleRefusal;

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        let code = match &error {
            TokenError::Role(refusal) => return refusal.clone().into(),
            TokenError::Empty
            | TokenError::Parts(_)
            | TokenError::Algorithm
            | TokenError::NoKey
            | TokenError::Signature => "PGRST301",
            TokenError::Claims
            | TokenError::NotAnAccessToken
            | TokenError::ForeignRole
            | TokenError::RealtimeOnly
            | TokenError::NotANumber(_)
            | TokenError::AudienceType
            | TokenError::Expired
            | TokenError::NotYetValid
            | TokenError::IssuedInFuture => "PGRST303",
        };
        let message = error.to_string();
        let challenge =
            format!("Bearer error=\"invalid_token\", error_description=\"{}\"", message.replace('"', "\\\""));
        let answer = Self::new(StatusCode::UNAUTHORIZED, code, message).header(header::WWW_AUTHENTICATE, &challenge);
        match error {
            TokenError::NoKey | TokenError::Signature => answer.details("None of the keys was able to decode the JWT"),
            _ => answer,
        }
    }
}

/// Returns the API error for a role that does not exist or that callers may not use. PostgREST returns the same error if `set role` fails.
impl From<RoleRefusal> for ApiError {
    fn from(refusal: RoleRefusal) -> Self {
        let status = match refusal {
            RoleRefusal::Unknown(_) => StatusCode::UNAUTHORIZED,
            RoleRefusal::Denied(..) => StatusCode::FORBIDDEN,
        };
        let error = Self::new(status, refusal.code(), refusal.to_string());
        match refusal.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
