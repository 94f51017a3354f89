//! A project for tests: the auth API with a database of its own.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{self, Next};
use cloch_core::Secret;
use cloch_sql::Caller;
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{ApiKeys, CallerResult, ClientAddress, KeyRing};
use cloch_sql::testing::TestDatabase;
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{AddressLimits, AuthState, Settings, Setup, router};

pub(super) struct Project {
    pub(super) database: TestDatabase,
    pub(super) verifier: Verifier,
    pub(super) state: AuthState,
    router: Router,
}

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

pub(super) struct Call<'a> {
    project: &'a Project,
    request: http::request::Builder,
    body: Vec<u8>,
}

impl Project {
    /// Creates a project with the default settings of config.toml, except that e-mail addresses and phone numbers must be confirmed.
    pub(super) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::set_up(change, false).await
    }

    pub(super) async fn set_up(change: impl FnOnce(&mut Settings), limited: bool) -> Self {
        let limits = if limited { AddressLimits::Everybody } else { AddressLimits::Nobody };
        Self::made(change, |setup| setup.address_limits = limits).await
    }

    pub(super) async fn made(change: impl FnOnce(&mut Settings), more: impl FnOnce(&mut Setup)) -> Self {
        let database = TestDatabase::platform().await;
        let key = cloch_sql::caller::keys::EcPrivateJwk::generate().unwrap();
        let secret = Secret::new("super-secret-jwt-token-with-at-least-32-characters-long");
        let verifier = Verifier::new(Arc::new(KeyRing::new(secret, &[key]).unwrap()));
        let key = |role| verifier.keys().sign_hs256(&json!({ "role": role, "exp": 4_000_000_000_i64 })).unwrap();
        let api_keys = ApiKeys {
            anon: Secret::new(key("anon")),
            service_role: Secret::new(key("service_role")),
            publishable: Secret::new("sb_publishable_x"),
            secret: Secret::new("sb_secret_x"),
            issued: cloch_sql::caller::IssuedKeys::default(),
        };
        let mut settings = Settings { site_url: "https://club.example".into(), ..Settings::default() };
        settings.email.enable_confirmations = true;
        settings.email.max_frequency = crate::settings::GoDuration::from_secs(0);
        settings.additional_redirect_urls = vec!["https://*.preview.example/**".into()];
        change(&mut settings);
        let mut setup = Setup {
            settings,
            external_url: "http://127.0.0.1:54321/auth/v1".parse().unwrap(),
            verifier: verifier.clone(),
            api_keys,
            mailer: cloch_mail::Mailer::new(database.database().clone(), cloch_mail::Settings::default()).unwrap(),
            project: "/nowhere/supabase".into(),
            address_limits: AddressLimits::Nobody,
            wrong_passwords_per_hour: 50,
            invitation_expiry: None,
            require_current_password: false,
            passkeys_require_verification: false,
            recovery_codes: true,
            prompt_none: false,
            sms_api: None,
            captcha_api: None,
            outbound: cloch_core::outbound::Outbound::default(),
            provider_key: Secret::new("a key for secrets of providers"),
            anonymous_user_days: Some(30),
            database: database.database().clone(),
        };
        more(&mut setup);
        let resolver = setup.verifier.clone();
        let resolve = move |mut request: Request, next: Next| {
            let resolver = resolver.clone();
            async move {
                let token = request.headers().get("authorization").and_then(|value| value.to_str().ok());
                let caller: CallerResult = match token.and_then(|value| value.get(7..)) {
                    Some(token) => resolver.verify(token),
                    None => Ok(Caller::anon()),
                };
                request.extensions_mut().insert(caller);
                let address = request.headers().get("x-test-address").map(|value| value.to_str().unwrap());
                let address = ClientAddress(address.unwrap_or("192.0.2.7").parse().unwrap());
                request.extensions_mut().insert(address);
                next.run(request).await
            }
        };
        let state = AuthState::new(setup).unwrap();
        let router = router(state.clone()).layer(middleware::from_fn(resolve));
        Self { database, verifier, state, router }
    }

    pub(super) fn post(&self, path: &str, body: Value) -> Call<'_> {
        self.call(Method::POST, path).json(body)
    }

    pub(super) fn put(&self, path: &str, body: Value) -> Call<'_> {
        self.call(Method::PUT, path).json(body)
    }

    pub(super) fn patch(&self, path: &str, body: Value) -> Call<'_> {
        self.call(Method::PATCH, path).json(body)
    }

    pub(super) fn get(&self, path: &str) -> Call<'_> {
        self.call(Method::GET, path)
    }

    pub(super) fn delete(&self, path: &str) -> Call<'_> {
        self.call(Method::DELETE, path)
    }

    pub(super) fn head(&self, path: &str) -> Call<'_> {
        self.call(Method::HEAD, path)
    }

    fn call(&self, method: Method, path: &str) -> Call<'_> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("x-supabase-api-version", "2024-01-01")
            .header("user-agent", "test");
        Call { project: self, request, body: Vec::new() }
    }

    /// Returns a service key: a token with role `service_role`.
    pub(super) fn service_key(&self) -> String {
        self.verifier.keys().sign_hs256(&json!({ "role": "service_role", "exp": 4_000_000_000_i64 })).unwrap()
    }

    /// Creates a confirmed user with the password `correct horse`. Returns the response of the sign-in.
    pub(super) async fn member(&self, email: &str) -> Answer {
        let user = json!({ "email": email, "password": "correct horse", "email_confirm": true });
        self.post("/admin/users", user).bearer(&self.service_key()).send().await.expect(200);
        self.sign_in(email, "correct horse").await.expect(200)
    }

    pub(super) async fn sign_in(&self, email: &str, password: &str) -> Answer {
        self.post("/token?grant_type=password", json!({ "email": email, "password": password })).send().await
    }

    pub(super) async fn refresh(&self, token: &str) -> Answer {
        self.post("/token?grant_type=refresh_token", json!({ "refresh_token": token })).send().await
    }

    /// Returns the newest mail to an address: its kind, its code, and the path and query of its link.
    pub(super) async fn mail(&self, to: &str) -> Mail {
        let row: (String, String) = sqlx::query_as(
            "select kind, html from cloch.mail_outbox where $1 = any (recipients) order by created_at desc limit 1",
        )
        .bind(to)
        .fetch_one(self.database.superuser())
        .await
        .unwrap();
        let link = row.1.split("href=\"").nth(1).map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"));
        let link = link.unwrap_or_default().replace("http://127.0.0.1:54321/auth/v1", "");
        let code = row.1.split("<strong>").nth(1).map(|rest| rest.split('<').next().unwrap().to_owned());
        Mail { kind: row.0, code: code.unwrap_or_default(), link, html: row.1 }
    }

    pub(super) async fn count(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query).fetch_one(self.database.superuser()).await.unwrap()
    }

    pub(super) async fn value(&self, query: &'static str) -> Value {
        sqlx::query_scalar(query).fetch_one(self.database.superuser()).await.unwrap()
    }

    pub(super) async fn execute(&self, statements: &'static str) {
        sqlx::raw_sql(statements).execute(self.database.superuser()).await.unwrap();
    }
}

pub(super) struct Mail {
    pub(super) kind: String,
    pub(super) code: String,
    pub(super) link: String,
    pub(super) html: String,
}

impl Mail {
    pub(super) fn hash(&self) -> &str {
        self.link.split("token=").nth(1).unwrap().split('&').next().unwrap()
    }
}

impl Call<'_> {
    pub(super) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(super) fn from(self, address: &str) -> Self {
        self.header("x-test-address", address)
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// Removes the API version header from the request, so that errors have the older form.
    pub(super) fn older(mut self) -> Self {
        self.request.headers_mut().unwrap().remove("x-supabase-api-version");
        self
    }

    pub(super) fn json(self, body: Value) -> Self {
        self.raw(body.to_string())
    }

    pub(super) fn raw(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(super) async fn send(self) -> Answer {
        let request = self.request.body(Body::from(self.body)).unwrap();
        let response = self.project.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
        Answer { status: parts.status, headers: parts.headers, body }
    }
}

impl Answer {
    #[track_caller]
    pub(super) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }

    /// Fails the test unless the response is an error with this HTTP status and error code.
    #[track_caller]
    pub(super) fn refused(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status.as_u16(), self.body["code"].as_str()), (status, Some(code)), "{}", self.body);
        assert_eq!(self.headers["x-supabase-api-version"], "2024-01-01");
        self
    }

    #[track_caller]
    pub(super) fn text(&self, pointer: &str) -> String {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| missing(pointer, &self.body)).to_owned()
    }

    pub(super) fn access_token(&self) -> String {
        self.text("/access_token")
    }

    pub(super) fn refresh_token(&self) -> String {
        self.text("/refresh_token")
    }

    pub(super) fn location_has(&self, part: &str) -> bool {
        self.headers.get("location").and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains(part))
    }

    pub(super) fn location(&self) -> String {
        self.headers["location"].to_str().unwrap().to_owned()
    }
}

#[track_caller]
fn missing<T>(pointer: &str, body: &Value) -> T {
    panic!("nothing at {pointer} in {body}")
}
