//! Tests of access tokens of third-party issuers.

use std::sync::Arc;

use cloch_core::Secret;
use cloch_sql::caller::issuers::{IssuerSettings, TrustedIssuer};
use cloch_sql::caller::keys::EcPrivateJwk;
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{KeyRing, TokenError};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::issuer::Issuer;
use super::{Project, json};
use crate::third_party;

fn trusted(url: &str, more: impl FnOnce(&mut IssuerSettings)) -> TrustedIssuer {
    let mut settings =
        IssuerSettings { issuer: url.to_owned(), audience: vec!["ours".into()], default_role: None, jwks_uri: None };
    more(&mut settings);
    TrustedIssuer::new(settings)
}

/// Creates a verifier that accepts tokens of `issuers`. A background task loads their keys until the returned guard is dropped.
fn verifier(issuers: Vec<TrustedIssuer>) -> (Verifier, DropGuard) {
    let key = EcPrivateJwk::generate().unwrap();
    let ring = KeyRing::new(Secret::new("super-secret-jwt-token-with-at-least-32-characters"), &[key]).unwrap();
    let verifier = Verifier::with_issuers(Arc::new(ring), issuers);
    let shutdown = CancellationToken::new();
    tokio::spawn(third_party::run(Arc::clone(verifier.other_issuers()), shutdown.clone()));
    (verifier, shutdown.drop_guard())
}

async fn verify(verifier: &Verifier, token: &str) -> Result<cloch_sql::Caller, TokenError> {
    verifier.prepare(token).await;
    verifier.verify(token)
}

#[tokio::test]
async fn only_the_issuers_own_keys_audience_and_roles_count() {
    let (one, other) = (Issuer::start().await, Issuer::start().await);
    let (verifier, _guard) = verifier(vec![trusted(&one.url, |_| {}), trusted(&other.url, |_| {})]);
    let refused = async |token: String| verify(&verifier, &token).await.unwrap_err();

    // Verifies a valid token first, so that the issuer's keys are loaded before the refused tokens are tested.
    let token = one.id_token(json!({"aud": ["ours"], "sub": "a|1", "role": "authenticated"}));
    let caller = verify(&verifier, &token).await.unwrap();
    assert_eq!((caller.role(), caller.claim("sub"), caller.is_foreign()), ("authenticated", Some("a|1"), true));

    assert_eq!(
        refused(one.id_token(json!({"aud": "theirs", "role": "authenticated"}))).await,
        TokenError::AudienceType
    );
    assert_eq!(refused(one.id_token(json!({"aud": null, "role": "authenticated"}))).await, TokenError::AudienceType);
    // `sql/tests/it/rest/caller_roles.rs` tests all other roles.
    assert_eq!(refused(one.id_token(json!({"aud": "ours", "role": "service_role"}))).await, TokenError::ForeignRole);
    assert_eq!(refused(one.id_token(json!({"aud": "ours", "role": ["authenticated"]}))).await, TokenError::ForeignRole);
    assert_eq!(refused(one.id_token(json!({"aud": "ours", "exp": 1}))).await, TokenError::Expired);
    assert_eq!(refused(one.id_token(json!({"aud": "ours", "exp": null}))).await, TokenError::NotANumber("exp"));
    // Refuses a token that is signed with one issuer's key and names another issuer or the project as its issuer.
    let of_other = other.keys.sign(&json!({"iss": one.url, "aud": "ours", "exp": 4_000_000_000_i64})).unwrap();
    assert_eq!(refused(of_other).await, TokenError::NoKey);
    let of_ours = one.keys.sign(&json!({"iss": "https://ours.example", "role": "authenticated"})).unwrap();
    assert_eq!(refused(of_ours).await, TokenError::NoKey);
    // Refuses a token that names the third-party issuer but is signed with the project's own keys or secret.
    let own = json!({"iss": one.url, "aud": "ours", "exp": 4_000_000_000_i64, "role": "authenticated"});
    assert_eq!(refused(verifier.keys().sign(&own).unwrap()).await, TokenError::NoKey);
    assert_eq!(refused(verifier.keys().sign_hs256(&own).unwrap()).await, TokenError::NoKey);
    // Storage verifies signed URLs with `claims`, which accepts only tokens of the project itself.
    assert_eq!(verifier.claims(&token).unwrap_err(), TokenError::NoKey);
    assert!(verifier.claims_of_any_issuer(&token).is_ok());
}

#[tokio::test]
async fn a_token_without_a_role_has_the_default_one() {
    let issuer = Issuer::start().await;
    let (plain, _guard) = verifier(vec![trusted(&issuer.url, |_| {})]);
    let token = issuer.id_token(json!({"aud": "ours", "sub": "1"}));
    assert_eq!(verify(&plain, &token).await.unwrap().role(), "anon");
    let (with, _guard) =
        verifier(vec![trusted(&issuer.url, |settings| settings.default_role = Some("authenticated".into()))]);
    assert_eq!(verify(&with, &token).await.unwrap().role(), "authenticated");
}

/// Only the valid key of a key set is used: the set also contains a symmetric key, an encryption key and a key of an unsupported type.
#[tokio::test]
async fn odd_keys_are_ignored() {
    let key = EcPrivateJwk::generate().unwrap();
    let secret = "a-secret-in-public-of-32-characters!";
    let ring = KeyRing::new(Secret::new(secret), std::slice::from_ref(&key)).unwrap();
    let mut for_encryption = key.public_jwk();
    for_encryption["use"] = "enc".into();
    for_encryption["kid"] = "enc".into();
    let symmetric =
        json!({"kty": "oct", "alg": "HS256", "kid": key.kid, "k": "YS1zZWNyZXQtaW4tcHVibGljLW9mLTMyLWNoYXJhY3RlcnMh"});
    let set = json!({"keys": [{"kty": "new", "kid": "x"}, symmetric, for_encryption, key.public_jwk()]});
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = set.to_string();
    let router = axum::Router::new().route("/keys", axum::routing::get(move || async move { answer }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let keys = format!("{url}/keys");
    let (verifier, _guard) = verifier(vec![trusted(&url, |settings| settings.jwks_uri = Some(keys))]);
    let claims = json!({"iss": url, "aud": "ours", "exp": 4_000_000_000_i64, "role": "authenticated"});
    assert_eq!(verify(&verifier, &ring.sign(&claims).unwrap()).await.unwrap().role(), "authenticated");
    assert_eq!(verify(&verifier, &ring.sign_hs256(&claims).unwrap()).await.unwrap_err(), TokenError::NoKey);
}

/// An issuer that accepts connections but never responds does not delay the tokens of other issuers.
#[tokio::test]
async fn an_issuer_that_hangs_delays_nobody_else() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hanging = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((connection, _)) = listener.accept().await {
            held.push(connection);
        }
    });
    let good = Issuer::start().await;
    let (verifier, _guard) = verifier(vec![trusted(&hanging, |_| {}), trusted(&good.url, |_| {})]);
    let stuck = json!({"iss": hanging, "aud": "ours", "exp": 4_000_000_000_i64});
    let stuck = good.keys.sign(&stuck).unwrap();
    let waiting = {
        let (verifier, stuck) = (verifier.clone(), stuck.clone());
        tokio::spawn(async move { verify(&verifier, &stuck).await })
    };
    let begun = std::time::Instant::now();
    let token = good.id_token(json!({"aud": "ours", "role": "authenticated"}));
    assert!(verify(&verifier, &token).await.is_ok());
    let own = verifier.keys().sign(&json!({"role": "authenticated"})).unwrap();
    assert!(verify(&verifier, &own).await.is_ok());
    assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
    // Tokens of the issuer that does not respond are refused after a timeout.
    assert_eq!(waiting.await.unwrap().unwrap_err(), TokenError::NoKey);
    assert!(begun.elapsed() < std::time::Duration::from_secs(10));
}

/// The `sub` claim of another issuer's token may equal the id of a user of this project, so the auth API refuses such tokens.
#[tokio::test]
async fn the_auth_api_takes_no_token_of_another_issuer() {
    let issuer = Issuer::start().await;
    let url = issuer.url.clone();
    let project = Project::made(
        |_| {},
        move |setup| {
            let keys = Arc::clone(setup.verifier.keys());
            setup.verifier = Verifier::with_issuers(keys, vec![trusted(&url, |_| {})]);
        },
    )
    .await;
    let verifier = project.state.setup.verifier.clone();
    tokio::spawn(third_party::run(Arc::clone(verifier.other_issuers()), CancellationToken::new()));
    let user = project.member("a@b.example").await.text("/user/id");
    let token = issuer.id_token(json!({"aud": "ours", "sub": user, "role": "authenticated"}));
    assert!(verify(&verifier, &token).await.unwrap().is_foreign());
    project.get("/user").bearer(&token).send().await.refused(403, "bad_jwt");
    project.put("/user", json!({"password": "battery staple"})).bearer(&token).send().await.refused(403, "bad_jwt");
}
