//! Creates a storage API with a separate database and folder for each test, and sends requests to the API.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::{Router, http};
use cloch_core::Secret;
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{Caller, CallerResult, ClientAddress, KeyRing};
use cloch_sql::testing::TestDatabase;
use cloch_storage::backend::Backend;
use cloch_storage::settings::{AccessKey, BackendSettings, S3Protocol};
use cloch_storage::sweep::{Swept, pass};
use cloch_storage::{Settings, StorageState};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::signing::{self, Signing};

pub(crate) const USER: &str = "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10";
pub(crate) const OTHER: &str = "11111111-51a5-4b9b-9d7b-0d1f3f3f7a10";

pub(crate) struct World {
    pub(crate) database: TestDatabase,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) state: StorageState,
    pub(crate) router: Router,
    pub(crate) verifier: Verifier,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns `statusCode` and `code` of an error response.
    pub(crate) fn code(&self) -> (String, String) {
        let body = self.json();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        (text("statusCode"), text("code"))
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.status.is_success(), "{} {}", self.status, self.text());
        self
    }

    #[track_caller]
    pub(crate) fn refused(self, status_code: &str, code: &str) -> Self {
        assert_eq!(self.code(), (status_code.to_owned(), code.to_owned()), "{}", self.text());
        self
    }
}

pub(crate) struct Asked<'a> {
    world: &'a World,
    pub(crate) builder: http::request::Builder,
    /// Data for the S3 signature of the request, which is computed after all headers are set.
    pub(crate) signing: Option<Signing>,
}

impl Asked<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    /// Sets the client address of a request, as the gateway does.
    pub(crate) fn from(mut self, address: &str) -> Self {
        self.builder = self.builder.extension(ClientAddress(address.parse().unwrap()));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn anon(self) -> Self {
        let token = self.world.token(&json!({"role": "anon"}));
        self.token(&token)
    }

    pub(crate) fn service(self) -> Self {
        let token = self.world.token(&json!({"role": "service_role"}));
        self.token(&token)
    }

    pub(crate) fn user(self, id: &str) -> Self {
        let token = self.world.token(&json!({"role": "authenticated", "sub": id}));
        self.token(&token)
    }

    pub(crate) async fn json(self, body: Value) -> Reply {
        self.header("content-type", "application/json").body(body.to_string()).await
    }

    pub(crate) async fn send(self) -> Reply {
        self.body(Body::empty()).await
    }

    pub(crate) async fn body(self, body: impl Into<Body>) -> Reply {
        let Self { world, builder, .. } = self.sign();
        let request = builder.body(body.into()).unwrap();
        let response = world.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Reply { status: parts.status, headers: parts.headers, bytes }
    }
}

/// Resolves the caller from the bearer token, as the gateway does outside of tests.
async fn resolve(State(verifier): State<Verifier>, mut request: Request, next: Next) -> Response {
    let caller: CallerResult = match request.headers().get("authorization").and_then(|value| value.to_str().ok()) {
        Some(value) => verifier.verify(value.strip_prefix("Bearer ").unwrap_or(value)),
        None => Ok(Caller::anon()),
    };
    request.extensions_mut().insert(caller);
    next.run(request).await
}

fn settings() -> Settings {
    let access_keys = vec![AccessKey { id: signing::ID.to_owned(), secret: Secret::new(signing::SECRET) }];
    let anon_key = Secret::new(signing::ANON_KEY);
    Settings { s3_protocol: S3Protocol { access_keys, anon_key, ..S3Protocol::default() }, ..Settings::default() }
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings =
            Settings { backend: BackendSettings::File { folder: folder.path().join("objects") }, ..settings() };
        change(&mut settings);
        Self::build(folder, |database, verifier| {
            StorageState::new(database, verifier, settings, CancellationToken::new()).unwrap()
        })
        .await
    }

    pub(crate) async fn with_backend(backend: Arc<dyn Backend>) -> Self {
        Self::build(tempfile::tempdir().unwrap(), |database, verifier| {
            StorageState::with_backend(database, verifier, settings(), backend, CancellationToken::new())
        })
        .await
    }

    async fn build(
        folder: tempfile::TempDir,
        open: impl FnOnce(cloch_sql::Database, Verifier) -> StorageState,
    ) -> Self {
        let database = TestDatabase::platform().await;
        let ring = KeyRing::new(Secret::new("a-secret-of-at-least-thirty-two-characters"), &[]).unwrap();
        let verifier = Verifier::new(Arc::new(ring));
        let state = open(database.database().clone(), verifier.clone());
        let routes = cloch_storage::Routes::new(state.clone());
        let router = Router::new()
            .fallback(move |request| routes.clone().answer(request))
            .layer(middleware::from_fn_with_state(verifier.clone(), resolve));
        Self { database, folder, state, router, verifier }
    }

    pub(crate) fn token(&self, claims: &Value) -> String {
        self.verifier.keys().sign_hs256(claims).unwrap()
    }

    /// Executes SQL statements as the superuser.
    pub(crate) async fn sql(&self, statements: &str) {
        let text = sqlx::AssertSqlSafe(statements.to_owned());
        sqlx::raw_sql(text).execute(self.database.superuser()).await.unwrap();
    }

    pub(crate) async fn text(&self, query: &str) -> String {
        sqlx::query_scalar(sqlx::AssertSqlSafe(query.to_owned())).fetch_one(self.database.superuser()).await.unwrap()
    }

    pub(crate) async fn count(&self, query: &str) -> i64 {
        sqlx::query_scalar(sqlx::AssertSqlSafe(query.to_owned())).fetch_one(self.database.superuser()).await.unwrap()
    }

    pub(crate) fn ask(&self, method: &str, path: &str) -> Asked<'_> {
        Asked { world: self, builder: Request::builder().method(method).uri(path), signing: None }
    }

    pub(crate) async fn bucket(&self, name: &str, public: bool) {
        self.ask("POST", "/bucket").service().json(json!({"name": name, "public": public})).await.ok();
    }

    pub(crate) async fn put(&self, path: &str, body: &str) -> Reply {
        self.ask("POST", &format!("/object/{path}"))
            .service()
            .header("content-type", "text/plain")
            .body(body.to_owned())
            .await
    }

    /// Runs a periodic cleanup of blobs older than `age`. `None` includes blobs of any age.
    pub(crate) async fn try_sweep(&self, age: Option<Duration>) -> Result<Swept, cloch_storage::Error> {
        let before = match age {
            Some(age) => SystemTime::now() - age,
            // File systems and S3 servers store times with a resolution of one second.
            None => SystemTime::now() + Duration::from_secs(2),
        };
        pass(&self.state, before, Duration::ZERO).await
    }

    pub(crate) async fn sweep(&self) -> Swept {
        self.try_sweep(None).await.unwrap()
    }

    /// Returns the number of files in the folder of the objects.
    pub(crate) fn files(&self) -> usize {
        fn count(folder: &std::path::Path) -> usize {
            std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .map(|path| if path.is_dir() { count(&path) } else { 1 })
                .sum()
        }
        count(&self.folder.path().join("objects"))
    }

    /// Waits until the deletions that run in the background after a response are finished and `files` files remain.
    pub(crate) async fn settle(&self, files: usize) {
        for _ in 0..100 {
            if self.files() == files {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(self.files(), files);
    }
}
