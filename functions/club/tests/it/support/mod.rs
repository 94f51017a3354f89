//! Shared code of the tests: serves the club's project with a separate database over HTTP, together with storage.

mod auth;
pub mod model;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn};
use cloch_core::Secret;
use cloch_functions::settings::Sections;
use cloch_functions::{FunctionError, FunctionsState, Registry, Services, Settings};
use cloch_mail::Mailer;
use cloch_sql::Caller;
use cloch_sql::caller::api_key::Credentials;
use cloch_sql::caller::keys::EcPrivateJwk;
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{ApiKeys, CallerResult, ClientAddress, KeyRing};
use cloch_sql::testing::TestDatabase;
use cloch_storage::StorageState;
use cloch_storage::settings::BackendSettings;
use serde_json::{Value, json};
use sqlx::{PgPool, Row};
use tokio_util::sync::CancellationToken;
use toml::Table;
use uuid::Uuid;

pub const BUCKET: &str = "youth-awards-submissions";
pub const PASSWORD: &str = "The Clyde at dawn";

/// The running project of the club.
pub struct Site {
    pub url: String,
    pub database: TestDatabase,
    keys: Arc<KeyRing>,
    pub api_keys: ApiKeys,
    pub client: reqwest::Client,
    folder: PathBuf,
    shutdown: CancellationToken,
    state: FunctionsState,
}

/// The HTTP response of a function.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Site {
    /// Starts the club's project as configured in the repository.
    pub async fn open() -> Self {
        Self::with("").await
    }

    /// Starts the club's project with a different cloch.toml. An empty text means the project's own file.
    pub async fn with(cloch: &str) -> Self {
        Self::with_functions(cloch, |registry| registry).await
    }

    /// Starts the club's project with additional Rust functions.
    pub async fn with_functions(cloch: &str, add: impl FnOnce(Registry) -> Registry) -> Self {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../supabase-config");
        let read = |name: &str| std::fs::read_to_string(project.join(name)).unwrap().parse::<Table>().unwrap();
        let cloch = if cloch.is_empty() { read("cloch.toml") } else { cloch.parse().unwrap() };
        let section = |table: &Table, name: &str| {
            table.get(name).map_or_else(Table::new, |value| value.as_table().unwrap().clone())
        };
        let mut declared = section(&read("config.toml"), "functions");
        // Declarations of functions of other projects, which tests add.
        for name in ["elsewhere", "nowhere", "nothing"] {
            declared.insert(name.to_owned(), Table::new().into());
        }
        declared.insert("open".to_owned(), Table::from_iter([("verify_jwt".to_owned(), false.into())]).into());
        let settings = Settings::read(Sections {
            declared: &declared,
            secrets: &BTreeMap::from([("JUDGING_PASSWORD".to_owned(), Secret::new(PASSWORD))]),
            options: &section(&cloch, "functions"),
            project: Path::new("/nowhere"),
            data: Path::new("/nowhere/data"),
        })
        .unwrap();
        let ai = section(&cloch, "ai");
        let mut club = cloch_club::Settings::read(&section(&cloch, "functions"), &ai, &settings.secrets).unwrap();
        let web = section(&section(&cloch, "web"), "settings");
        club.recipients = cloch_club::settings::Recipients::read(&web).unwrap();
        let registry = add(cloch_club::register(Registry::default(), &club).unwrap());
        Self::start(TestDatabase::project(&project).await, settings, registry).await
    }

    async fn start(database: TestDatabase, settings: Settings, registry: Registry) -> Self {
        let key = EcPrivateJwk::generate().unwrap();
        let keys = Arc::new(KeyRing::new(Secret::new("a-secret-of-at-least-thirty-two-characters"), &[key]).unwrap());
        let token =
            |role: &str| Secret::new(keys.sign_hs256(&json!({"role": role, "exp": 4_000_000_000_u64})).unwrap());
        let api_keys = ApiKeys {
            anon: token("anon"),
            service_role: token("service_role"),
            publishable: Secret::new("sb_publishable_test"),
            secret: Secret::new("sb_secret_test"),
            issued: cloch_sql::caller::IssuedKeys::default(),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mailer = Mailer::new(database.database().clone(), cloch_mail::Settings::default()).unwrap();
        let folder = std::env::temp_dir().join(format!("cloch-functions-{}", Uuid::new_v4()));
        let storage = cloch_storage::Settings {
            backend: BackendSettings::File { folder: folder.clone() },
            ..cloch_storage::Settings::default()
        };
        let verifier = Verifier::new(keys.clone());
        let shutdown = CancellationToken::new();
        let storage =
            StorageState::new(database.database().clone(), verifier.clone(), storage, shutdown.clone()).unwrap();
        let services = Services {
            settings,
            database: database.database().clone(),
            mailer: mailer.clone(),
            storage: Some(storage.clone()),
            keys: keys.clone(),
            api_keys: api_keys.clone(),
            local_url: url.parse().unwrap(),
            public_url: "https://api.club.example".parse().unwrap(),
            site_url: "https://club.example".parse().unwrap(),
        };
        let state = FunctionsState::new(services, registry, None).unwrap();
        state.check_destinations().map_err(|error| error.to_string()).unwrap();

        let storage = cloch_storage::Routes::new(storage);
        let app = Router::new()
            .nest("/functions/v1", cloch_functions::router(state.clone()))
            .nest("/storage/v1", Router::new().fallback(move |request| storage.clone().answer(request)))
            .nest("/auth/v1", auth::router(database.database().clone(), mailer));
        let app = resolving_callers(app, api_keys.clone(), verifier);
        tokio::spawn(async move {
            axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await.unwrap();
        });
        let site = Self { url, database, keys, api_keys, client: reqwest::Client::new(), folder, shutdown, state };
        site.prepare().await.unwrap();
        site
    }

    /// Runs the step that Cloch runs at each start.
    pub async fn prepare(&self) -> Result<(), FunctionError> {
        cloch_club::prepare(self.database.database(), Some(&Secret::new(PASSWORD))).await
    }

    pub fn pool(&self) -> &PgPool {
        self.database.superuser()
    }

    /// Returns the services that Cloch provides to functions and their background tasks.
    pub fn services(&self) -> Arc<Services> {
        self.state.services()
    }

    pub fn anon(&self) -> String {
        self.api_keys.anon.expose().to_owned()
    }

    pub fn sign(&self, claims: &Value) -> String {
        self.keys.sign(claims).unwrap()
    }

    /// Creates an account without the administrator role and returns an access token of the account.
    pub async fn member(&self, email: &str) -> String {
        let id = Uuid::new_v4();
        let insert = "insert into auth.users (id, email, email_confirmed_at, aud, role) values ($1, $2, now(), 'authenticated', 'authenticated')";
        sqlx::query(insert).bind(id).bind(email).execute(self.pool()).await.unwrap();
        self.sign(&json!({"sub": id, "role": "authenticated", "email": email, "exp": 4_000_000_000_u64}))
    }

    /// Creates an account with the administrator role and returns an access token of the account.
    pub async fn admin(&self, email: &str) -> String {
        let token = self.member(email).await;
        let grant = "insert into public.user_roles (user_id, role) select id, 'admin' from auth.users where email = $1";
        sqlx::query(grant).bind(email).execute(self.pool()).await.unwrap();
        token
    }

    /// Calls a function in the same way as functions-js, from the client address `address`.
    pub async fn call_from(&self, address: &str, name: &str, token: &str, body: &Value) -> Reply {
        let request = self
            .client
            .post(format!("{}/functions/v1/{name}", self.url))
            .header("apikey", self.anon())
            .header("x-test-address", address)
            .bearer_auth(token)
            .json(body);
        Reply::of(request.send().await.unwrap()).await
    }

    pub async fn call(&self, name: &str, token: &str, body: &Value) -> Reply {
        self.call_from("192.0.2.1", name, token, body).await
    }

    /// Uploads a file of an entry as a visitor (role `anon`). The content is changed to begin with the signature of the file type, which
    /// the bucket requires.
    pub async fn upload(&self, bucket: &str, path: &str, content_type: &str, mut bytes: Vec<u8>) {
        let signature: &[u8] = match content_type {
            "image/png" => b"\x89PNG\r\n\x1a\n",
            "application/pdf" => b"%PDF-",
            _ => b"",
        };
        bytes[..signature.len()].copy_from_slice(signature);
        let request = self.client.post(format!("{}/storage/v1/object/{bucket}/{path}", self.url));
        let request = request.header("apikey", self.anon()).bearer_auth(self.anon());
        let answer = request.header("content-type", content_type).body(bytes).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
    }

    /// Returns the messages in the mail outbox, oldest first.
    pub async fn mails(&self) -> Vec<Value> {
        let query = "select to_jsonb(m) || jsonb_build_object('files', (
                       select coalesce(jsonb_agg(jsonb_build_object('name', filename, 'type', content_type, 'size', octet_length(content)) order by position), '[]')
                         from cloch.mail_attachments where message_id = m.id))
                     from cloch.mail_outbox m order by created_at";
        sqlx::query(query).fetch_all(self.pool()).await.unwrap().iter().map(|row| row.get(0)).collect()
    }

    pub async fn sql(&self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(self.pool()).await.unwrap();
    }

    /// Returns the first column of a query's only row.
    pub async fn value<T>(&self, query: &'static str) -> T
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        sqlx::query(query).fetch_one(self.pool()).await.unwrap().get(0)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.shutdown.cancel();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Reply {
    pub async fn of(answer: reqwest::Response) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        Self { status, headers, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
    }
}

/// Resolves the caller of a request from the API keys and the client's address. The gateway does the same before any API. In the tests, a
/// header contains the client's address.
fn resolving_callers(app: Router, keys: ApiKeys, verifier: Verifier) -> Router {
    app.layer(from_fn(move |mut request: Request, next: Next| {
        let (keys, verifier) = (keys.clone(), verifier.clone());
        async move {
            let credentials = keys.credentials(request.headers());
            request.headers_mut().remove("authorization");
            let caller: CallerResult = match credentials {
                Credentials::None => Ok(Caller::anon()),
                Credentials::Authorization(text) => {
                    request.headers_mut().insert("authorization", text.parse().unwrap());
                    text.strip_prefix("Bearer ").map_or_else(|| Ok(Caller::anon()), |token| verifier.verify(token))
                }
            };
            let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().unwrap().0.ip();
            let address =
                request.headers().get("x-test-address").map_or(peer, |text| text.to_str().unwrap().parse().unwrap());
            request.extensions_mut().insert(ClientAddress(address));
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
    }))
}
