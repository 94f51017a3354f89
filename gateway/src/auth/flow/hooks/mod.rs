//! Auth hooks: a database function or an HTTP endpoint of the project that is called at a fixed point.

mod http;
mod postgres;

use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use crate::auth::client::Client;
use crate::auth::error::{AuthError, Result};
use crate::auth::settings::Hook;
use crate::auth::state::AuthState;

/// Calls a hook. A database function runs in the transaction `tx`, or in its own without one.
///
/// `name` is part of the payload's metadata; `input` is the rest of the payload.
pub(crate) async fn call(
    state: &AuthState,
    tx: Option<&mut PgConnection>,
    hook: &Hook,
    name: &str,
    client: &Client,
    mut input: Map<String, Value>,
) -> Result<Map<String, Value>> {
    input.insert(
        "metadata".into(),
        json!({
            "uuid": uuid::Uuid::new_v4(), "time": chrono::Utc::now(), "name": name,
            "ip_address": client.address.0.to_string(),
        }),
    );
    let output = match hook.uri.strip_prefix("pg-functions://") {
        Some(function) => match tx {
            Some(tx) => postgres::call(tx, function, &input).await?,
            None => {
                let mut tx = state.begin().await?;
                let output = postgres::call(&mut tx, function, &input).await?;
                tx.commit().await?;
                output
            }
        },
        None => http::call(state, hook, &input).await?,
    };
    let output = match output {
        Value::Null => Map::new(),
        Value::Object(output) => output,
        _ => {
            return Err(AuthError::failed("unexpected_failure", "Error parsing hook output, it must be an object"));
        }
    };
    match refusal(&output) {
        Some(error) => Err(error),
        None => Ok(output),
    }
}

/// The error in a hook's output, `{"error": {"http_code", "message"}}`, if it has a message.
fn refusal(output: &Map<String, Value>) -> Option<AuthError> {
    let error = output.get("error")?;
    let message = error.get("message")?.as_str().filter(|message| !message.is_empty())?.to_owned();
    let status = error
        .get("http_code")
        .and_then(Value::as_u64)
        .and_then(|code| u16::try_from(code).ok())
        .and_then(|code| ::http::StatusCode::from_u16(code).ok())
        .filter(|status| status.as_u16() >= 300)
        .unwrap_or(::http::StatusCode::INTERNAL_SERVER_ERROR);
    let code = if status == ::http::StatusCode::INTERNAL_SERVER_ERROR { "unexpected_failure" } else { "unknown" };
    Some(AuthError::Refused { status, code, message: message.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(output: Value) -> Option<(u16, &'static str)> {
        refusal(output.as_object().unwrap()).map(|error| (error.status().as_u16(), error.code()))
    }

    #[test]
    fn only_an_error_with_words_refuses() {
        assert_eq!(refused(json!({})), None);
        assert_eq!(refused(json!({"error": {"http_code": 403}})), None);
        assert_eq!(refused(json!({"error": {"http_code": 403, "message": "no"}})), Some((403, "unknown")));
        assert_eq!(refused(json!({"error": {"message": "no"}})), Some((500, "unexpected_failure")));
        assert_eq!(refused(json!({"error": {"http_code": 99999, "message": "no"}})), Some((500, "unexpected_failure")));
    }
}
