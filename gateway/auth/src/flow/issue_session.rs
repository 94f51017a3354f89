//! Issues sessions: each session has a row in `auth.sessions`, a refresh token and a signed access token.

use rand::RngExt;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::hooks;
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::flow::accounts;
use crate::metrics;
use crate::model::session::{self, Session};
use crate::model::user::User;
use crate::model::user_update;
use crate::state::AuthState;

/// The token response (RFC 6749, section 5.1), with the user as an additional field.
#[derive(Serialize)]
pub(crate) struct TokenResponse {
    pub(crate) access_token: String,
    pub(crate) token_type: &'static str,
    pub(crate) expires_in: i64,
    pub(crate) expires_at: i64,
    pub(crate) refresh_token: String,
    pub(crate) user: User,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider_refresh_token: Option<String>,
    /// The reasons why the password violates the password policy. As in GoTrue, the response to a sign-in by password has the field also if
    /// the password meets the policy (null), and other responses do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) weak_password: Option<Value>,
    #[serde(skip)]
    pub(crate) session_id: Uuid,
    /// The scopes that the user granted to an OAuth client. `None` if the user signed in to this project.
    #[serde(skip)]
    pub(crate) scopes: Option<String>,
    /// Value of a response header: whether the refresh token in the request had already been used. `None` if the response does not have
    /// this header. This is the case if the request was not a refresh, or if a used refresh token of format 1 was exchanged for the token
    /// that replaced it.
    #[serde(skip)]
    pub(crate) reuse: Option<Reuse>,
}

/// Whether the refresh token in a refresh request had already been used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// The server treats the refresh token as used for the first time.
    None,
    /// The refresh token was used before and accepted again. The text contains GoTrue's names of the reasons for the acceptance.
    Forgiven(String),
}

/// Creates a session for a user who authenticated with the authentication method `method`.
pub(crate) async fn open_session(
    state: &AuthState,
    tx: &mut PgConnection,
    user: Uuid,
    method: &str,
    client: &Client,
) -> Result<TokenResponse> {
    let session_id = Uuid::new_v4();
    let refresh_token = new_refresh_token();
    session::open(tx, session_id, user, method, client, &refresh_token).await.context("error creating session")?;
    let user = user_update::reload(tx, user).await.context("Database error loading user")?;
    let session = session::by_id(tx, session_id).await?.ok_or(sqlx::Error::RowNotFound)?;
    issue_tokens(state, tx, user, &session, method, refresh_token, client).await
}

/// The authentication method (`amr` claim) of an OAuth client's session.
const CLIENT_METHOD: &str = "oauth_provider/authorization_code";

/// Creates a session for an OAuth client with the scopes that the user granted. Does not add the client's network (IPv4 address or IPv6
/// /64) to the networks from which the user has signed in.
pub(crate) async fn open_client_session(
    state: &AuthState,
    tx: &mut PgConnection,
    user: Uuid,
    oauth_client: Uuid,
    scopes: &str,
    client: &Client,
) -> Result<TokenResponse> {
    let new = session::ClientSession { id: Uuid::new_v4(), user, oauth_client, scopes, method: CLIENT_METHOD };
    let refresh_token = new_refresh_token();
    session::open_for_client(tx, &new, client, &refresh_token).await.context("error creating session")?;
    let user = user_update::reload(tx, user).await.context("Database error loading user")?;
    let session = session::by_id(tx, new.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    issue_tokens(state, tx, user, &session, CLIENT_METHOD, refresh_token, client).await
}

/// Signs an access token for a session. Returns the token response.
pub(crate) async fn issue_tokens(
    state: &AuthState,
    tx: &mut PgConnection,
    user: User,
    session: &Session,
    method: &str,
    refresh_token: String,
    client: &Client,
) -> Result<TokenResponse> {
    let now = chrono::Utc::now().timestamp();
    let expires_at = expiry(state, &user, session, now);
    let claims = claims(state, &user, session, now, expires_at);
    let claims = customize_claims(state, tx, claims, user.id, method, client).await?;
    let access_token =
        state.setup.verifier.keys().sign(&Value::Object(claims)).context("error generating jwt token")?;
    metrics::count_session(method);
    Ok(TokenResponse {
        access_token,
        token_type: "bearer",
        expires_in: expires_at - now,
        expires_at,
        refresh_token,
        session_id: session.id,
        scopes: session.scopes.clone(),
        user,
        provider_token: None,
        provider_refresh_token: None,
        weak_password: None,
        reuse: None,
    })
}

/// Returns the expiry of the access token as a Unix time in seconds. If the user has a verified second factor but the session is at aal1,
/// the token expires at the latest when the session reaches the age `allow_low_aal`.
fn expiry(state: &AuthState, user: &User, session: &Session, now: i64) -> i64 {
    let settings = state.settings();
    let usual = now + i64::try_from(settings.jwt_expiry).unwrap_or(3600);
    match settings.sessions.allow_low_aal {
        Some(limit) if !limit.get().is_zero() && user.has_verified_factor() && !session.has_aal2() => {
            usual.min(session.created_at.timestamp() + i64::try_from(limit.get().as_secs()).unwrap_or(0))
        }
        _ => usual,
    }
}

fn claims(state: &AuthState, user: &User, session: &Session, now: i64, expires_at: i64) -> Map<String, Value> {
    // Metadata that a provider or an SQL statement wrote may be so large that the access token does not fit into the headers of a request.
    // Such metadata is omitted from the token.
    let user_metadata = match accounts::check_metadata(user.user_metadata.iter()) {
        Ok(()) => Value::Object(user.user_metadata.0.clone()),
        Err(_) => {
            tracing::warn!(user = %user.id, "auth: user_metadata of a user too large, omitted from the access token");
            json!({})
        }
    };
    let claims = json!({
        "iss": state.issuer(),
        "sub": user.id,
        "aud": user.aud,
        "exp": expires_at,
        "iat": now,
        "email": user.email,
        "phone": user.phone,
        "app_metadata": user.app_metadata,
        "user_metadata": user_metadata,
        "role": user.role,
        "aal": session.aal,
        "amr": session.amr,
        "session_id": session.id,
        "is_anonymous": user.is_anonymous,
    });
    let Value::Object(mut claims) = claims else {
        return Map::new();
    };
    // The claim `client_id` allows row-level security policies to distinguish an OAuth client's requests from requests of the user's own
    // sessions.
    if let Some(client) = session.oauth_client_id {
        claims.insert("client_id".into(), client.to_string().into());
        claims.insert("scope".into(), session.scopes.as_deref().unwrap_or_default().into());
    }
    claims
}

/// Calls the `custom_access_token` hook and returns its claims. The hook can add and change claims, but cannot remove required claims.
async fn customize_claims(
    state: &AuthState,
    tx: &mut PgConnection,
    claims: Map<String, Value>,
    user: Uuid,
    method: &str,
    client: &Client,
) -> Result<Map<String, Value>> {
    let hook = &state.settings().hook.custom_access_token;
    if !hook.enabled {
        return Ok(claims);
    }
    let mut input = Map::new();
    input.insert("user_id".into(), user.to_string().into());
    input.insert("claims".into(), Value::Object(claims));
    input.insert("authentication_method".into(), method.into());
    let mut output = hooks::call(state, Some(tx), hook, "customize-access-token", client, input).await?;
    let Some(Value::Object(claims)) = output.remove("claims") else {
        return Err(AuthError::failed("unexpected_failure", "output claims field is missing"));
    };
    match broken_claim(&claims) {
        None => Ok(claims),
        Some(name) => Err(AuthError::failed(
            "unexpected_failure",
            format!("output claims do not conform to the expected schema: {name}"),
        )),
    }
}

fn broken_claim(claims: &Map<String, Value>) -> Option<&'static str> {
    let texts = ["sub", "email", "phone", "role", "aal", "session_id"];
    let is = |name: &str, test: fn(&Value) -> bool| claims.get(name).is_some_and(test);
    if !is("aud", |aud| aud.is_string() || aud.is_array()) {
        return Some("aud");
    }
    if let Some(name) = ["exp", "iat"].into_iter().find(|name| !is(name, Value::is_i64)) {
        return Some(name);
    }
    if !is("is_anonymous", Value::is_boolean) {
        return Some("is_anonymous");
    }
    texts.into_iter().find(|name| !is(name, Value::is_string))
}

/// Generates a refresh token of twelve characters from an alphabet of 32 (60 bits), in the format that every GoTrue version accepts.
pub(crate) fn new_refresh_token() -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut rng = rand::rng();
    std::iter::repeat_with(|| ALPHABET.get(rng.random_range(0..ALPHABET.len())).copied().map_or('a', char::from))
        .take(12)
        .collect()
}
