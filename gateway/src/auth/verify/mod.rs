//! /verify: a link or code that was sent, and what it proves.

pub(crate) mod apply;
pub(crate) mod attempts;
mod find;
pub(crate) mod redirect;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cloch_sql::Secret;
use serde::Deserialize;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::address;
use super::error::{AuthError, Doing, Result};
use super::grant::{self, Granted};
use super::limits::{self, Limit};
use super::models::user::User;
use super::models::{Time, flow_state, user_change};
use super::pkce::TOKEN_PREFIX;
use super::request::Incoming;
use super::state::AuthState;
use attempts::Attempts;

/// What the first of two confirmations of an address change is answered with.
const HALF_DONE: &str = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// What a link or code proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Signup,
    Invite,
    Recovery,
    MagicLink,
    EmailChange,
    /// A code of a sign-up or of a magic link, whichever is pending.
    Email,
    Sms,
    PhoneChange,
}

impl Purpose {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "signup" => Self::Signup,
            "invite" => Self::Invite,
            "recovery" => Self::Recovery,
            "magiclink" => Self::MagicLink,
            "email_change" => Self::EmailChange,
            "email" => Self::Email,
            "sms" => Self::Sms,
            "phone_change" => Self::PhoneChange,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Invite => "invite",
            Self::Recovery => "recovery",
            Self::MagicLink => "magiclink",
            Self::EmailChange => "email_change",
            Self::Email => "email",
            Self::Sms => "sms",
            Self::PhoneChange => "phone_change",
        }
    }

    /// The flow that waits for the link, where it ends in a code. None for kinds that no flow begins.
    const fn method(self) -> Option<&'static str> {
        match self {
            Self::Signup => Some("email/signup"),
            Self::Invite => Some("invite"),
            Self::Recovery => Some("recovery"),
            Self::MagicLink => Some("magiclink"),
            Self::EmailChange => Some("email_change"),
            Self::Email | Self::Sms | Self::PhoneChange => None,
        }
    }
}

/// A token as stored, when it was sent and for how many seconds it holds.
pub(crate) struct Pending<'a> {
    pub(crate) hash: &'a Secret,
    pub(crate) sent_at: Option<Time>,
    pub(crate) expiry: u64,
}

impl Pending<'_> {
    /// Whether a code's hash is the stored one, with or without the mark of a PKCE flow, and in time.
    pub(crate) fn is_met_by(&self, hash: &str) -> bool {
        self.is_in_time() && (self.hash.matches(hash) | self.hash.matches(&format!("{TOKEN_PREFIX}{hash}")))
    }

    pub(crate) fn is_in_time(&self) -> bool {
        let life = chrono::TimeDelta::seconds(i64::try_from(self.expiry).unwrap_or(0));
        self.sent_at.is_some_and(|sent| chrono::Utc::now() <= sent + life)
    }
}

/// What a token led to.
enum Verified {
    /// The user it belongs to, proved, and what for.
    User(Box<User>, Purpose),
    /// One of two confirmations of an address change.
    Half,
}

/// GET /verify: the link of a mail. It always ends in the app, but for a link that is no link.
pub(crate) async fn get(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    limits::check(&state, Limit::Verify, &incoming.client).await?;
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
        return Err(AuthError::internal(super::error::UNEXPECTED, message));
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

/// Where a link that holds ends.
enum End {
    Session(Box<Granted>, Purpose),
    Code(String),
    Half { pkce: bool },
}

impl End {
    fn location(&self, target: &str) -> String {
        match self {
            Self::Session(granted, purpose) => granted.as_redirect(target, &[("type", purpose.name())]),
            Self::Code(code) => redirect::code(target, code),
            Self::Half { pkce } => redirect::message(target, HALF_DONE, *pkce),
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
        Verified::Half => End::Half { pkce },
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
                let granted = grant::open_session(state, &mut tx, user.id, "otp", &incoming.client).await?;
                End::Session(Box::new(granted), purpose)
            }
        }
    };
    tx.commit().await?;
    Ok(end)
}

/// `provider` and `providers` follow the identities; the row is read as triggers left it.
async fn finish(tx: &mut PgConnection, user: Uuid) -> Result<User> {
    user_change::refresh_providers(tx, user).await.doing("Database error updating user")?;
    user_change::reload(tx, user).await.doing("Database error loading user")
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

/// POST /verify: a code, or a link's hash from an app's own route.
pub(crate) async fn post(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    limits::check(&state, Limit::Verify, &incoming.client).await?;
    let mut params: Params = incoming.json()?;
    check_form(&mut params)?;
    let purpose = Purpose::parse(&params.r#type);
    let found = if params.token_hash.is_empty() {
        let address = if params.phone.is_empty() { &params.email } else { &params.phone };
        let request = find::Code { purpose, address, digits: &params.token, aud: &incoming.audience() };
        // Looked at outside of the transaction below, so that counting a wrong try is not rolled back with it.
        let judge = async || find::by_code(&state, &mut *state.connection().await?, &request).await;
        let counted = Attempts::of_address(&state, address, &incoming.client).await?;
        attempts::guarded(&state, &counted, attempts::wrong, judge).await?
    } else {
        let mut connection = state.connection().await?;
        find::by_hash(&state, &mut connection, purpose, &params.token_hash).await?
    };
    let mut tx = state.begin().await?;
    let found = find::still_pending(&mut tx, found).await?;
    let answer = match apply::proof(&state, &mut tx, found, &incoming.client).await? {
        Verified::Half => Json(json!({ "msg": HALF_DONE, "code": "200" })).into_response(),
        Verified::User(user, _) => {
            let user = finish(&mut tx, user.id).await?;
            grant::open_session(&state, &mut tx, user.id, "otp", &incoming.client).await?.into_response()
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
        (true, false) => params.phone = address::phone(&params.phone)?,
        (false, true) => {
            params.email = address::email(&params.email)
                .map_err(|_| AuthError::unprocessable("validation_failed", "Invalid email format"))?;
        }
        _ => {
            return Err(AuthError::validation("Only an email address or phone number should be provided on verify"));
        }
    }
    Ok(())
}
