//! GET and POST /verify: verifies a mailed link, or a code from a mail or text message.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::redirect;
use super::request::Incoming;
use crate::contact;
use crate::error::{AuthError, Context, Result};
use crate::flow::code_guesses::{self, GuessLimits};
use crate::flow::issue_session::{self, TokenResponse};
use crate::flow::rate_limit::{self, Limit};
use crate::flow::verify::{Purpose, Verified, apply, find};
use crate::model::user::User;
use crate::model::{flow_state, user_update};
use crate::pkce::TOKEN_PREFIX;
use crate::state::AuthState;

const EMAIL_CHANGE_HALF_CONFIRMED: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// GET /verify: verifies a mailed link and redirects the browser to the app. A malformed link gets an error response instead of a redirect.
pub(crate) async fn get(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    rate_limit::check(&state, Limit::Verify, &incoming.client).await?;
    let (kind, token) = (incoming.query("type"), incoming.query("token"));
    if kind.is_empty() {
        return Err(AuthError::validation("Verify requires a verification type"));
    }
    if token.is_empty() {
        return Err(AuthError::validation("Verify requires a token or a token hash"));
    }
    let target = incoming.target(&state);
    let pkce = token.starts_with(TOKEN_PREFIX);
    let purpose = Purpose::parse(kind);
    if pkce && purpose.and_then(Purpose::method).is_none() {
        let message = format!("unsupported authentication method {kind:?}");
        return Err(AuthError::internal(crate::error::UNEXPECTED, message));
    }
    let end = match follow(&state, &incoming, purpose, token, pkce).await {
        Ok(end) => end.location(&target),
        Err(error) => {
            error.log();
            redirect::error(&target, &error, pkce)
        }
    };
    redirect::see_other(&end)
}

/// The result of following a valid link, which is sent to the app in the redirect URL.
enum End {
    Session(Box<TokenResponse>, Purpose),
    Code(String),
    HalfConfirmed { pkce: bool },
}

impl End {
    fn location(&self, target: &str) -> String {
        match self {
            Self::Session(granted, purpose) => granted.as_redirect(target, &[("type", purpose.name())]),
            Self::Code(code) => redirect::code(target, code),
            Self::HalfConfirmed { pkce } => redirect::message(target, EMAIL_CHANGE_HALF_CONFIRMED, *pkce),
        }
    }
}

async fn follow(
    state: &AuthState,
    incoming: &Incoming,
    purpose: Option<Purpose>,
    token: &str,
    pkce: bool,
) -> Result<End> {
    let mut tx = state.begin().await?;
    let found = find::by_hash(state, &mut tx, purpose, token).await?;
    let end = match apply::proof(state, &mut tx, found, &incoming.client).await? {
        Verified::HalfConfirmed => End::HalfConfirmed { pkce },
        Verified::User(user, purpose) => {
            let user = finish(&mut tx, user.id).await?;
            if pkce {
                let method = purpose.method().unwrap_or_default();
                let code = flow_state::issue_code(&mut tx, user.id, method).await?.ok_or_else(|| {
                    AuthError::bad_request(
                        "flow_state_not_found",
                        "No associated flow state found. 422: No valid flow state found for user.",
                    )
                })?;
                End::Code(code)
            } else {
                let granted = issue_session::open_session(state, &mut tx, user.id, "otp", &incoming.client).await?;
                End::Session(Box::new(granted), purpose)
            }
        }
    };
    tx.commit().await?;
    Ok(end)
}

/// Updates the fields `provider` and `providers` of the user's app metadata from the user's identities, and loads the user's row again with
/// the changes of triggers.
async fn finish(tx: &mut PgConnection, user: Uuid) -> Result<User> {
    user_update::refresh_providers(tx, user).await.context("Database error updating user")?;
    user_update::reload(tx, user).await.context("Database error loading user")
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    r#type: String,
    token: String,
    token_hash: String,
    email: String,
    phone: String,
    redirect_to: String,
}

/// POST /verify: verifies a code, or the token hash of a link that opened a page of the app instead of GET /verify.
pub(crate) async fn post(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    rate_limit::check(&state, Limit::Verify, &incoming.client).await?;
    let mut params: Params = incoming.json()?;
    check_form(&mut params)?;
    let purpose = Purpose::parse(&params.r#type);
    let found = if params.token_hash.is_empty() {
        let address = if params.phone.is_empty() { &params.email } else { &params.phone };
        let request = find::Code { purpose, address, digits: &params.token, aud: &incoming.audience() };
        // The code is checked outside of the transaction that follows, so that a rollback does not remove the count of a
        // wrong code.
        let judge = async || find::by_code(&state, &request).await;
        let counted = GuessLimits::of_address(&state, address, &incoming.client).await?;
        code_guesses::check_code(&state, &counted, code_guesses::wrong, judge).await?
    } else {
        let mut connection = state.connection().await?;
        find::by_hash(&state, &mut connection, purpose, &params.token_hash).await?
    };
    let mut tx = state.begin().await?;
    let found = find::still_pending(&mut tx, found).await?;
    let answer = match apply::proof(&state, &mut tx, found, &incoming.client).await? {
        Verified::HalfConfirmed => Json(json!({ "msg": EMAIL_CHANGE_HALF_CONFIRMED, "code": "200" })).into_response(),
        Verified::User(user, _) => {
            let user = finish(&mut tx, user.id).await?;
            issue_session::open_session(&state, &mut tx, user.id, "otp", &incoming.client).await?.into_response()
        }
    };
    tx.commit().await?;
    Ok(answer)
}

fn check_form(params: &mut Params) -> Result<()> {
    if params.r#type.is_empty() {
        return Err(AuthError::validation("Verify requires a verification type"));
    }
    if params.token.is_empty() == params.token_hash.is_empty() {
        return Err(AuthError::validation("Verify requires either a token or a token hash"));
    }
    if params.token.is_empty() {
        let more = [&params.email, &params.phone, &params.redirect_to];
        return if more.into_iter().all(String::is_empty) {
            Ok(())
        } else {
            Err(AuthError::validation("Only the token_hash and type should be provided"))
        };
    }
    match (params.email.is_empty(), params.phone.is_empty()) {
        (true, false) => params.phone = contact::phone(&params.phone)?,
        (false, true) => {
            params.email = contact::email(&params.email)
                .map_err(|_| AuthError::unprocessable("validation_failed", "Invalid email format"))?;
        }
        _ => {
            return Err(AuthError::validation("Only an email address or phone number should be provided on verify"));
        }
    }
    Ok(())
}
