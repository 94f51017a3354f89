//! Tests of the OAuth server. This file creates the OAuth clients, users and requests of the tests.

mod attacks;
mod clients;
mod flows;
mod prompts;

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;
use url::form_urlencoded::Serializer;

use super::{Answer, Project, json};

const REDIRECT: &str = "https://app.example/callback";
const VERIFIER: &str = "a-code-verifier-of-at-least-forty-three-characters";

async fn project() -> Project {
    Project::with(|settings| {
        settings.oauth_server.enabled = true;
        settings.oauth_server.allow_dynamic_registration = true;
    })
    .await
}

struct App {
    id: String,
    secret: String,
}

async fn app(project: &Project, more: Value) -> App {
    let mut metadata = json!({"client_name": "App", "redirect_uris": [REDIRECT], "client_type": "confidential"});
    for (name, value) in more.as_object().unwrap() {
        metadata[name] = value.clone();
    }
    let made = project.post("/admin/oauth/clients", metadata).bearer(&project.service_key()).send().await.expect(201);
    let secret = made.body["client_secret"].as_str().unwrap_or_default().to_owned();
    App { id: made.text("/client_id"), secret }
}

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER.as_bytes()))
}

/// Returns the query parameters of a valid authorization request, with `changes`. An empty value in `changes` removes the parameter.
fn parameters(app: &App, changes: &[(&str, &str)]) -> String {
    let challenge = challenge();
    let mut all: Vec<(&str, &str)> = vec![
        ("client_id", &app.id),
        ("redirect_uri", REDIRECT),
        ("response_type", "code"),
        ("scope", "openid email"),
        ("state", "s1"),
        ("nonce", "n1"),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    all.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
    all.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
    Serializer::new(String::new()).extend_pairs(all).finish()
}

async fn authorize(project: &Project, app: &App, changes: &[(&str, &str)]) -> Answer {
    project.get(&format!("/oauth/authorize?{}", parameters(app, changes))).send().await
}

fn query(address: &str) -> HashMap<String, String> {
    Url::parse(address).unwrap().query_pairs().into_owned().collect()
}

/// Creates an authorization request that waits for the user's consent. Returns the id of the request.
async fn request(project: &Project, app: &App, changes: &[(&str, &str)]) -> String {
    let sent = authorize(project, app, changes).await.expect(302).location();
    assert!(sent.starts_with("https://club.example/oauth/consent?authorization_id="), "{sent}");
    query(&sent)["authorization_id"].clone()
}

async fn details(project: &Project, request: &str, user: &str) -> Answer {
    project.get(&format!("/oauth/authorizations/{request}")).bearer(user).send().await
}

async fn decide(project: &Project, request: &str, user: &str, action: &str) -> Answer {
    let path = format!("/oauth/authorizations/{request}/consent");
    project.post(&path, json!({ "action": action })).bearer(user).send().await
}

/// Creates an authorization request, approves it as the user, and returns the authorization code.
async fn code(project: &Project, app: &App, user: &str, changes: &[(&str, &str)]) -> String {
    let request = request(project, app, changes).await;
    let shown = details(project, &request, user).await.expect(200);
    let address = match shown.body.get("redirect_url") {
        Some(address) => address.as_str().unwrap().to_owned(),
        None => decide(project, &request, user, "approve").await.expect(200).text("/redirect_url"),
    };
    assert!(address.starts_with(REDIRECT), "{address}");
    query(&address)["code"].clone()
}

/// Posts a form as an OAuth client. A client with a secret authenticates with `client_secret_basic`.
async fn post(project: &Project, path: &str, app: &App, fields: &[(&str, &str)]) -> Answer {
    let mut form = Serializer::new(String::new());
    form.extend_pairs(fields);
    let mut call = project.post(path, json!({})).header("content-type", "application/x-www-form-urlencoded");
    if app.secret.is_empty() {
        form.append_pair("client_id", &app.id);
    } else {
        let basic = base64::engine::general_purpose::STANDARD.encode(format!("{}:{}", app.id, app.secret));
        call = call.header("authorization", &format!("Basic {basic}"));
    }
    call.raw(form.finish()).send().await
}

async fn exchange(project: &Project, app: &App, code: &str, changes: &[(&str, &str)]) -> Answer {
    let mut fields = vec![("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)];
    fields.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
    fields.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
    post(project, "/oauth/token", app, &fields).await
}

async fn refresh(project: &Project, app: &App, token: &str) -> Answer {
    post(project, "/oauth/token", app, &[("grant_type", "refresh_token"), ("refresh_token", token)]).await
}

/// Approves an authorization request as the user, and returns the tokens of the OAuth client.
async fn tokens(project: &Project, app: &App, user: &str) -> Answer {
    let code = code(project, app, user, &[]).await;
    exchange(project, app, &code, &[]).await.expect(200)
}

impl Answer {
    /// Fails the test unless the response is an OAuth error (RFC 6749) with this HTTP status and error code.
    #[track_caller]
    fn oauth_refused(self, status: u16, error: &str) -> Self {
        assert_eq!((self.status.as_u16(), self.body["error"].as_str()), (status, Some(error)), "{}", self.body);
        self
    }
}
