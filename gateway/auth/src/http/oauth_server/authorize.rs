//! GET and POST /oauth/authorize: an OAuth client redirects the user's browser to this endpoint, which redirects the browser to the app's
//! consent page.

use axum::extract::State;
use axum::response::Response;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_FRAME_OPTIONS};
use http::{HeaderValue, Method, StatusCode};
use url::Url;

use super::fields::Fields;
use crate::error::{AuthError, Context, Result};
use crate::flow::oauth_server::{codes, scopes};
use crate::flow::rate_limit::{self, Limit};
use crate::http::redirect;
use crate::http::request::Incoming;
use crate::model::oauth_authorization::{self, Request};
use crate::model::oauth_client::{self, Client};
use crate::state::AuthState;

/// Maximum length of each request parameter in characters, as in the columns of `auth.oauth_authorizations`.
const MAX_CHARS: [(&str, usize); 6] = [
    ("redirect_uri", 2048),
    ("scope", 2048),
    ("state", 4096),
    ("resource", 2048),
    ("code_challenge", 128),
    ("nonce", 255),
];

/// Maximum number of digits in the request parameter `max_age`. Nine digits suffice for thirty years in seconds.
const MAX_AGE_DIGITS: usize = 9;

pub(crate) async fn authorize(State(state): State<AuthState>, method: Method, incoming: Incoming) -> Result<Response> {
    rate_limit::check(&state, Limit::OauthAuthorize, &incoming.client).await?;
    let pairs = if method == Method::POST { incoming.form() } else { incoming.query_pairs().to_vec() };
    // Errors are returned directly, and not by a redirect, until the server has verified that the redirect URI belongs to the OAuth client
    // (RFC 6749, section 4.1.2.1).
    let fields = Fields::of(pairs).ok_or_else(|| AuthError::validation("a parameter is included more than once"))?;
    let client = client(&state, &fields).await?;
    let target = fields.get("redirect_uri");
    let address = match check(&state, &fields) {
        Err(error) => refusal(&state, target, fields.get("state"), error),
        Ok(()) => begin(&state, &client, &fields).await?,
    };
    let mut response = redirect::redirect(StatusCode::FOUND, &address)?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}

/// Returns the URL that delivers an authorization response to the OAuth client. The parameter `iss` names this issuer, to prevent mix-up
/// attacks (RFC 9207).
pub(super) fn answer(state: &AuthState, target: &str, client_state: &str, pairs: &[(&str, &str)]) -> String {
    let mut all = pairs.to_vec();
    all.push(("iss", state.issuer()));
    if !client_state.is_empty() {
        all.push(("state", client_state));
    }
    redirect::with_query(target, &all)
}

pub(super) fn refusal(state: &AuthState, target: &str, client_state: &str, (error, why): Refused) -> String {
    answer(state, target, client_state, &[("error", error), ("error_description", why)])
}

/// An error code (RFC 6749, section 4.1.2.1, or OpenID Connect Core, section 3.1.2.6) and its description.
pub(super) type Refused = (&'static str, &'static str);

/// Error for a request with `prompt=none` without a signed-in user, and for a request whose user signed in too long ago.
pub(super) const LOGIN_REQUIRED: Refused = ("login_required", "the user has to sign in");
pub(super) const CONSENT_REQUIRED: Refused = ("consent_required", "the user has to be asked");
pub(super) const INTERACTION_REQUIRED: Refused = ("interaction_required", "the user is asked each time");

async fn client(state: &AuthState, fields: &Fields) -> Result<Client> {
    let missing = |name: &str| AuthError::validation(format!("{name} is required"));
    if fields.get("client_id").is_empty() {
        return Err(missing("client_id"));
    }
    if fields.get("redirect_uri").is_empty() {
        return Err(missing("redirect_uri"));
    }
    let unknown = || AuthError::bad_request("oauth_client_not_found", "invalid client_id");
    let id = fields.get("client_id").parse().map_err(|_| unknown())?;
    let client = oauth_client::by_id(&mut *state.connection().await?, id)
        .await
        .context("error validating client")?
        .ok_or_else(unknown)?;
    if client.has_redirect_uri(fields.get("redirect_uri")) && client.may("authorization_code") {
        Ok(client)
    } else {
        Err(AuthError::validation("invalid redirect_uri"))
    }
}

/// Validates all request parameters except the client id and the redirect URI. An error contains the error code and description for the
/// redirect to the OAuth client.
fn check(state: &AuthState, fields: &Fields) -> Result<(), Refused> {
    let invalid = |why| Err(("invalid_request", why));
    if MAX_CHARS.iter().any(|(name, most)| fields.get(name).chars().count() > *most) {
        return invalid("a parameter is too long");
    }
    if !["", "code"].contains(&fields.get("response_type")) {
        return Err(("unsupported_response_type", "only response_type=code is supported"));
    }
    if !["", "query"].contains(&fields.get("response_mode")) {
        return invalid("only response_mode=query is supported");
    }
    if !fields.get("request").is_empty() {
        return Err(("request_not_supported", "the request parameter is not supported"));
    }
    if !fields.get("request_uri").is_empty() {
        return Err(("request_uri_not_supported", "the request_uri parameter is not supported"));
    }
    if scopes::unsupported(scope(fields)).is_some() {
        return Err(("invalid_scope", "unsupported scope"));
    }
    if !is_resource(fields.get("resource")) {
        return Err(("invalid_target", "resource must be an absolute URI without a fragment"));
    }
    check_challenge(fields)?;
    let max_age = fields.get("max_age");
    if !max_age.is_empty() && (max_age.len() > MAX_AGE_DIGITS || !max_age.bytes().all(|digit| digit.is_ascii_digit())) {
        return invalid("max_age must be a number of seconds");
    }
    match fields.get("prompt").trim() {
        // The app manages the user's session, so only the app's consent page can determine whether the user is signed in.
        "none" if state.setup.prompt_none => Ok(()),
        "none" => Err(LOGIN_REQUIRED),
        prompt if prompt.split(' ').all(|word| ["", "login", "consent", "select_account"].contains(&word)) => Ok(()),
        _ => invalid("unsupported prompt"),
    }
}

/// Checks that the request uses PKCE with method S256, which is mandatory (OAuth 2.1; RFC 9700, section 2.1.1).
fn check_challenge(fields: &Fields) -> Result<(), Refused> {
    let (challenge, method) = (fields.get("code_challenge"), fields.get("code_challenge_method"));
    if challenge.is_empty() || method.is_empty() {
        return Err(("invalid_request", "PKCE flow requires both code_challenge and code_challenge_method"));
    }
    if !method.eq_ignore_ascii_case("s256") {
        return Err(("invalid_request", "code_challenge_method must be 'S256'"));
    }
    // The code challenge is a SHA-256 hash in base64url without padding, which has 43 characters.
    let is_hash =
        challenge.len() == 43 && challenge.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'));
    if is_hash {
        Ok(())
    } else {
        Err(("invalid_request", "code_challenge must be the SHA-256 of the verifier in base64url"))
    }
}

/// Whether the request parameter `resource` is empty or an absolute URI without a fragment (RFC 8707).
fn is_resource(resource: &str) -> bool {
    resource.is_empty() || (Url::parse(resource).is_ok() && !resource.contains('#'))
}

fn scope(fields: &Fields) -> &str {
    match fields.get("scope") {
        "" => scopes::DEFAULT,
        named => named,
    }
}

/// Returns the maximum age in seconds that the user's sign-in may have. `None` if the request accepts a sign-in of any age.
fn earliest_sign_in(prompt: &str, max_age: &str) -> Option<i64> {
    if prompt.split(' ').any(|word| word == "login") { Some(0) } else { max_age.parse().ok() }
}

/// Stores the authorization request, and returns the URL of the app's consent page.
async fn begin(state: &AuthState, client: &Client, fields: &Fields) -> Result<String> {
    let prompt = fields.get("prompt").trim();
    let authorization_id = codes::random();
    let request = Request {
        authorization_id: &authorization_id,
        client: client.id,
        redirect_uri: fields.get("redirect_uri"),
        scope: scope(fields).trim(),
        state: fields.get("state"),
        resource: fields.get("resource"),
        code_challenge: fields.get("code_challenge"),
        nonce: fields.get("nonce"),
        prompt,
        max_age: earliest_sign_in(prompt, fields.get("max_age")),
    };
    let mut tx = state.begin().await?;
    oauth_authorization::insert(&mut tx, &request).await.context("error creating authorization")?;
    tx.commit().await?;
    let site = state.redirect_urls().site().trim_end_matches('/');
    let path = state.settings().oauth_server.authorization_url_path.trim_start_matches('/');
    let mut pairs = vec![("authorization_id", authorization_id.as_str())];
    if !prompt.is_empty() {
        pairs.push(("prompt", prompt));
    }
    Ok(redirect::with_query(&format!("{site}/{path}"), &pairs))
}
