//! Health endpoints. `/health` reports readiness for load balancers: status 200 or 503. `/health/live` reports liveness: status 200 as long
//! as the program responds, even if the database is unreachable, because a restart of the program would not repair that. Neither endpoint
//! runs a database query, so that a request takes almost no time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cloch_sql::Availability;
use cloch_sql::caller::{ApiKeys, IssuedKeys};
use http::header::{CACHE_CONTROL, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::authenticate::is_operator;

type ReadStatus = fn(&Path) -> Value;

/// Readiness of the program, which /health reports. The program is ready if it has started, is not shutting down, can reach the database,
/// and has free disk space.
#[derive(Clone, Debug)]
pub struct Health(Arc<State>);

#[derive(Debug)]
struct State {
    keys: ApiKeys,
    started: AtomicBool,
    draining: AtomicBool,
    /// Availability of the database. Unset until the database is open.
    database: OnceLock<Availability>,
    /// Reason for which the database's disk counts as full, for the response of /health. `None` while there is enough space.
    full_disk: Mutex<Option<String>>,
    /// Folder that contains the status of the backup, and the function that reads the status. Unset if the project has no backup.
    backup: OnceLock<(PathBuf, ReadStatus)>,
}

impl Health {
    /// Creates the readiness of a program that is still starting. `keys` contains the project's secret keys: only requests with a secret key
    /// receive the reason for a status 503.
    #[must_use]
    pub fn new(keys: ApiKeys) -> Self {
        let (started, draining) = (AtomicBool::new(false), AtomicBool::new(false));
        let full_disk = Mutex::new(None);
        Self(Arc::new(State { keys, started, draining, database: OnceLock::new(), full_disk, backup: OnceLock::new() }))
    }

    /// Returns the API keys that are stored in the database. The health checks and all APIs share this list.
    #[must_use]
    pub fn issued_keys(&self) -> IssuedKeys {
        self.0.keys.issued.clone()
    }

    /// Records that the start of the program is complete.
    pub fn ready(&self) {
        self.0.started.store(true, Ordering::SeqCst);
    }

    /// Records that the shutdown has begun. From now on, /health responds with 503, so that load balancers send no more requests. Other
    /// requests are still served.
    pub fn draining(&self) {
        self.0.draining.store(true, Ordering::SeqCst);
    }

    /// Whether the start has finished and the shutdown has not begun.
    #[must_use]
    pub fn is_serving(&self) -> bool {
        self.0.started.load(Ordering::SeqCst) && !self.0.draining.load(Ordering::SeqCst)
    }

    /// Sets the value that reports whether the database is available. After this call, /health also depends on the database.
    pub fn database(&self, availability: Availability) {
        let _ = self.0.database.set(availability);
    }

    /// Sets the reason why the database's disk is full, or `None` if the disk has enough space. While the disk is full, /health responds with
    /// 503, because requests that write fail.
    pub fn disk(&self, full: Option<String>) {
        *self.0.full_disk.lock().unwrap_or_else(PoisonError::into_inner) = full;
    }

    /// Returns the availability of the database. `None` until the database is open.
    pub(crate) fn availability(&self) -> Option<&Availability> {
        self.0.database.get()
    }

    pub(crate) fn is_database_lost(&self) -> bool {
        self.availability().is_some_and(Availability::is_lost)
    }

    /// Sets the folder that contains the status of the backup, and the function that reads the status. /health returns the status only to
    /// requests with a secret key.
    pub fn backup(&self, folder: PathBuf, read: ReadStatus) {
        let _ = self.0.backup.set((folder, read));
    }

    /// Returns the response to /health and /health/live. `None` for requests to other paths.
    pub(crate) fn response(&self, request: &Request) -> Option<Response> {
        match request.uri().path() {
            "/health" => Some(self.readiness(request.headers())),
            "/health/live" => Some(json_response(StatusCode::OK, &json!({ "status": "ok" }))),
            _ => None,
        }
    }

    fn readiness(&self, headers: &HeaderMap) -> Response {
        let Some((reason, message)) = self.unavailable_reason() else {
            let backup = self.0.backup.get().filter(|_| self.is_operator(headers));
            let body = match backup {
                Some((folder, read)) => json!({ "status": "ok", "backup": read(folder) }),
                None => json!({ "status": "ok" }),
            };
            return json_response(StatusCode::OK, &body);
        };
        let body = if self.is_operator(headers) {
            json!({ "status": "unavailable", "reason": reason, "message": message })
        } else {
            json!({ "status": "unavailable" })
        };
        let mut response = json_response(StatusCode::SERVICE_UNAVAILABLE, &body);
        response.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("1"));
        response
    }

    fn unavailable_reason(&self) -> Option<(&'static str, String)> {
        if self.0.draining.load(Ordering::SeqCst) {
            return Some(("draining", "the server stops when running requests have ended".to_owned()));
        }
        if !self.0.started.load(Ordering::SeqCst) {
            return Some(("starting", "the start has not ended".to_owned()));
        }
        if let Some(reason) = self.availability()?.reason() {
            return Some(("database", reason.as_ref().to_owned()));
        }
        let full = self.0.full_disk.lock().unwrap_or_else(PoisonError::into_inner).clone();
        full.map(|reason| ("disk", reason))
    }

    fn is_operator(&self, headers: &HeaderMap) -> bool {
        is_operator(&self.0.keys, headers)
    }
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    (status, [(CACHE_CONTROL, "no-store")], axum::Json(body.clone())).into_response()
}
