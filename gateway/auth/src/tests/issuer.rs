//! A local OpenID Connect provider for tests, which issues ID tokens with the claims that the test sets.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use cloch_core::Secret;
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::keys::EcPrivateJwk;
use serde_json::{Value, json};

pub(super) const CLIENT: &str = "our-client";

type Form = Vec<(String, String)>;

#[derive(Clone)]
pub(super) struct Issuer {
    pub(super) url: String,
    pub(super) keys: Arc<KeyRing>,
    claims: Arc<Mutex<Value>>,
    /// The request forms that the token endpoint received.
    pub(super) exchanges: Arc<Mutex<Vec<Form>>>,
}

impl Issuer {
    pub(super) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let key = EcPrivateJwk::generate().unwrap();
        let keys = Arc::new(KeyRing::new(Secret::new("unused unused unused unused unused"), &[key]).unwrap());
        let issuer = Self { url, keys, claims: Arc::default(), exchanges: Arc::default() };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(document))
            .route("/jwks", get(jwks))
            .route("/token", post(token))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        issuer
    }

    /// Sets the claims of the user who signs in next.
    pub(super) fn says(&self, subject: &str, email: &str, verified: bool) {
        *self.claims.lock().unwrap() =
            json!({"sub": subject, "email": email, "email_verified": verified, "name": "Ann"});
    }

    /// Signs an ID token. The claims in `more` are added to the default claims or replace them.
    pub(super) fn id_token(&self, more: Value) -> String {
        let mut claims = json!({
            "iss": self.url, "aud": CLIENT, "exp": chrono::Utc::now().timestamp() + 300,
            "iat": chrono::Utc::now().timestamp(),
        });
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        self.keys.sign(&claims).unwrap()
    }
}

async fn document(State(issuer): State<Issuer>) -> Json<Value> {
    let at = |path: &str| format!("{}{path}", issuer.url);
    Json(json!({
        "issuer": issuer.url, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
        "jwks_uri": at("/jwks"), "code_challenge_methods_supported": ["S256"],
    }))
}

async fn jwks(State(issuer): State<Issuer>) -> Json<Value> {
    Json(issuer.keys.jwks().clone())
}

async fn token(State(issuer): State<Issuer>, body: String) -> Json<Value> {
    let form = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    issuer.exchanges.lock().unwrap().push(form);
    let claims = issuer.claims.lock().unwrap().clone();
    Json(json!({"access_token": "their-token", "refresh_token": "their-refresh", "id_token": issuer.id_token(claims)}))
}
