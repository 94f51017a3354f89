//! Calls the auth hooks of a project. A hook is a database function or an HTTP endpoint of the project, which the server calls at a fixed
//! point of a flow.

mod http;
mod postgres;

use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use crate::client::Client;
use crate::error::{AuthError, Result};
use crate::flow::message_count::Unsent;
use crate::settings::Hook;
use crate::state::AuthState;

/// URI scheme of a hook that is a database function.
const FUNCTION_SCHEME: &str = "pg-functions://";

/// Calls a hook and returns its output. A database function runs in the transaction `tx`, or in a new transaction if `tx` is `None`.
///
/// The payload of the call is `input` with an additional field `metadata`, which contains the hook's name (`name`), an id of the call, the
/// time and the client's IP address.
pub(crate) async fn call(
    state: &AuthState,
    tx: Option<&mut PgConnection>,
    hook: &Hook,
    name: &str,
    client: &Client,
    input: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let output = output(state, tx, hook, name, client, input).await?;
    refuse(&output)?;
    Ok(output)
}

/// Calls a hook that sends a mail or text message.
pub(crate) async fn send(
    state: &AuthState,
    tx: &mut PgConnection,
    hook: &Hook,
    name: &str,
    client: &Client,
    input: Map<String, Value>,
) -> Result<(), Unsent> {
    match output(state, Some(tx), hook, name, client, input).await {
        Ok(output) => refuse(&output).map_err(Unsent::certain),
        // The changes of a failed database function are rolled back, so the function has certainly not sent the message.
        Err(error) if is_function(hook) => Err(Unsent::certain(error)),
        Err(error) => Err(Unsent::uncertain(error)),
    }
}

/// Whether the hook is a database function, which runs in the request's database transaction.
pub(crate) fn is_function(hook: &Hook) -> bool {
    hook.uri.starts_with(FUNCTION_SCHEME)
}

/// Calls a hook and returns its output without checking the output for an `error`.
async fn output(
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
    let output = match hook.uri.strip_prefix(FUNCTION_SCHEME) {
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
    match output {
        Value::Null => Ok(Map::new()),
        Value::Object(output) => Ok(output),
        _ => Err(AuthError::failed("unexpected_failure", "Error parsing hook output, it must be an object")),
    }
}

/// Converts the error in a hook's output, `{"error": {"http_code", "message"}}`, to an API error. An `http_code` without a message is also
/// an error, because a hook that refuses a request must not let the request continue.
fn refuse(output: &Map<String, Value>) -> Result<()> {
    let unreadable =
        || AuthError::failed("unexpected_failure", "Error parsing hook output, its error must be an object");
    let error = match output.get("error") {
        None | Some(Value::Null) => return Ok(()),
        Some(error) => error.as_object().ok_or_else(unreadable)?,
    };
    let message = match error.get("message") {
        None | Some(Value::Null) => "",
        Some(message) => message.as_str().ok_or_else(unreadable)?,
    };
    let code = error.get("http_code").filter(|code| !code.is_null() && **code != 0);
    if message.is_empty() && code.is_none() {
        return Ok(());
    }
    let status = code
        .and_then(Value::as_u64)
        .and_then(|code| u16::try_from(code).ok())
        .and_then(|code| ::http::StatusCode::from_u16(code).ok())
        .filter(|status| status.as_u16() >= 300)
        .unwrap_or(::http::StatusCode::INTERNAL_SERVER_ERROR);
    let code = if status == ::http::StatusCode::INTERNAL_SERVER_ERROR { "unexpected_failure" } else { "unknown" };
    let message = if message.is_empty() { "The hook has refused this without a message" } else { message };
    Err(AuthError::Refused { status, code, message: message.to_owned().into() })
}

/// Whether the `decision` in the hook's output rejects a sign-in or verification attempt.
///
/// # Errors
///
/// Returns an error if the decision is neither `continue` nor `reject`.
pub(crate) fn rejects(output: &Map<String, Value>) -> Result<bool> {
    match output.get("decision").unwrap_or(&Value::Null) {
        Value::Null => Ok(false),
        Value::String(decision) if matches!(decision.as_str(), "" | "continue") => Ok(false),
        Value::String(decision) if decision == "reject" => Ok(true),
        _ => {
            let message = "Error parsing hook output, its decision must be \"continue\" or \"reject\"";
            Err(AuthError::failed("unexpected_failure", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(output: Value) -> Option<(u16, &'static str)> {
        refuse(output.as_object().unwrap()).err().map(|error| (error.status().as_u16(), error.code()))
    }

    #[test]
    fn an_error_refuses() {
        for fine in
            [json!({}), json!({"error": null}), json!({"error": {}}), json!({"error": {"http_code": 0, "message": ""}})]
        {
            assert_eq!(refused(fine.clone()), None, "{fine}");
        }
        assert_eq!(refused(json!({"error": {"http_code": 403, "message": "no"}})), Some((403, "unknown")));
        assert_eq!(refused(json!({"error": {"http_code": 403}})), Some((403, "unknown")));
        for failed in [
            json!({"error": {"message": "no"}}),
            json!({"error": {"http_code": 99999, "message": "no"}}),
            json!({"error": {"http_code": "403"}}),
            json!({"error": {"message": 1}}),
            json!({"error": "no"}),
            json!({"error": true}),
        ] {
            assert_eq!(refused(failed.clone()), Some((500, "unexpected_failure")), "{failed}");
        }
    }

    #[test]
    fn a_decision_is_one_of_two() {
        let decided = |output: Value| rejects(output.as_object().unwrap()).ok();
        for output in [json!({}), json!({"decision": null}), json!({"decision": "continue"})] {
            assert_eq!(decided(output), Some(false));
        }
        assert_eq!(decided(json!({"decision": "reject"})), Some(true));
        for output in [json!({"decision": "Reject"}), json!({"decision": "deny"}), json!({"decision": false})] {
            assert_eq!(decided(output), None);
        }
    }
}
