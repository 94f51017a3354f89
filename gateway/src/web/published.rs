//! Content that a project publishes in the pages of its web app: one JSON value, which a database function returns (`[web] content`). The
//! function is called with the role anon.
//!
//! Pages are rendered when the app is built, with placeholders for this content ([`super::placeholders`]). The placeholders are replaced
//! when a page is sent. Therefore the first page that a browser displays contains the content, although the server does not run the app's
//! code, and the content need not be published again after a new build.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use cloch_sql::{Caller, Database};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::AssertSqlSafe;
use tokio::sync::Mutex;

/// Maximum age of the published content in a page when the page is sent, if the database responds.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Timeout of the query for the published content.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Time for which pages are sent with the previous content while reading the content fails. After this time, pages are sent without
/// content: the project may have withdrawn content in the meantime, and such content must not stay on the pages.
const MAX_FAILING: Duration = Duration::from_mins(5);

/// Maximum size of the content as JSON, in bytes. A page may contain the whole content.
const MAX_BYTES: usize = 512 * 1024;

/// The published content at one point in time, and its hash.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) value: Value,
    pub(super) digest: [u8; 32],
}

impl Snapshot {
    fn new(value: Value) -> Self {
        let digest = Sha256::digest(value.to_string()).into();
        Self { value, digest }
    }
}

/// The content that a project publishes. The inner value is `None` if the project publishes no content.
#[derive(Clone, Debug, Default)]
pub struct Published(Option<Arc<Source>>);

#[derive(Debug)]
struct Source {
    /// Database, and the SQL statement that reads the content from it. `None` in tests, which use fixed content.
    query: Option<(Database, String)>,
    current: RwLock<Arc<Snapshot>>,
    /// Whether the first query has ended, successfully or not.
    has_asked: AtomicBool,
    /// Locked while a query runs.
    times: Mutex<Times>,
}

/// Times of queries for the content.
#[derive(Debug)]
struct Times {
    last: Option<Instant>,
    /// Time of the last successful query. Before the first successful query, the time at which this value was created.
    succeeded: Instant,
}

impl Times {
    fn new(last: Option<Instant>) -> Self {
        Self { last, succeeded: Instant::now() }
    }
}

/// Reason why reading the content failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the function's result has {0} bytes of JSON, more than {MAX_BYTES}")]
    TooLarge(usize),
    #[error("the function took longer than {QUERY_TIMEOUT:?}")]
    Timeout,
    #[error(transparent)]
    Query(#[from] sqlx::Error),
}

/// Error: `[web] content` of cloch.toml is not a valid function name.
#[derive(Debug, thiserror::Error)]
#[error("cloch.toml: web.content: {0:?} is no name of a function in the schema public: letters, digits and _")]
pub struct NoFunctionName(String);

impl Published {
    /// Creates the source of the content that the function `function` in schema `public` returns. The role anon must have the right to call
    /// the function.
    ///
    /// # Errors
    /// When the name is not a valid function name.
    pub fn new(database: Database, function: &str) -> Result<Self, NoFunctionName> {
        let is_name = !function.is_empty()
            && function.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !is_name {
            return Err(NoFunctionName(function.to_owned()));
        }
        let statement = format!("select to_jsonb(\"public\".\"{function}\"())");
        let current = RwLock::new(Arc::new(Snapshot::new(Value::Null)));
        Ok(Self(Some(Arc::new(Source {
            query: Some((database, statement)),
            current,
            has_asked: AtomicBool::new(false),
            times: Mutex::new(Times::new(None)),
        }))))
    }

    /// Returns the published content. If the content is older than [`MAX_AGE`], first reads it again. If several requests need new content
    /// at the same time, only one of them queries the database, and all others get the previous content. `None` if the project publishes no
    /// content.
    pub(super) async fn current(&self) -> Option<Arc<Snapshot>> {
        let source = self.0.as_ref()?;
        // Before the first query has ended, there is no previous content. All requests then wait for this query.
        let times = match source.has_asked.load(Ordering::Acquire) {
            false => Some(source.times.lock().await),
            true => source.times.try_lock().ok(),
        };
        if let Some(mut times) = times
            && times.last.is_none_or(|at| at.elapsed() >= MAX_AGE)
        {
            source.refresh(&mut times).await;
        }
        Some(source.latest())
    }
}

impl Source {
    fn latest(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn refresh(&self, times: &mut Times) {
        let read = tokio::time::timeout(QUERY_TIMEOUT, self.ask()).await.unwrap_or(Err(Failure::Timeout));
        let now = Instant::now();
        times.last = Some(now);
        match read {
            Ok(value) => {
                times.succeeded = now;
                self.replace(value);
            }
            Err(error) => self.keep_or_empty(&error, times.succeeded.elapsed()),
        }
        self.has_asked.store(true, Ordering::Release);
    }

    /// Determines the content of pages after a failed query: the previous content or no content. If the new content is too large, pages are
    /// sent without content immediately, because every later query would fail too until somebody changes the content.
    fn keep_or_empty(&self, error: &Failure, failing_for: Duration) {
        let statement = self.query.as_ref().map(|(_, statement)| statement.as_str());
        if matches!(error, Failure::TooLarge(_)) || failing_for > MAX_FAILING {
            tracing::error!(
                %error,
                statement,
                "web: reading the published content failed (result of the database function that [web] content of cloch.toml names), \
                 the app's pages are sent without content"
            );
            self.replace(Value::Null);
        } else {
            tracing::warn!(
                %error,
                statement,
                "web: reading the published content failed (result of the database function that [web] content of cloch.toml names), \
                 the app's pages keep their previous content for at most {MAX_FAILING:?}"
            );
        }
    }

    fn replace(&self, value: Value) {
        let next = Snapshot::new(value);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.digest != next.digest {
            *current = Arc::new(next);
        }
    }

    async fn ask(&self) -> Result<Value, Failure> {
        let Some((database, statement)) = &self.query else {
            return Ok(Value::Null);
        };
        let mut transaction = database.begin_as(&Caller::anon()).await?;
        // The statement is not cached as a prepared statement: PostgreSQL would refuse to run it after the return type of the function was
        // changed.
        let value: Option<Value> = sqlx::query_scalar(AssertSqlSafe(statement.as_str()))
            .persistent(false)
            .fetch_one(&mut *transaction)
            .await?;
        let value = value.unwrap_or_default();
        match value.to_string().len() {
            bytes if bytes > MAX_BYTES => Err(Failure::TooLarge(bytes)),
            _ => Ok(value),
        }
    }
}

#[cfg(test)]
impl Published {
    /// Creates published content with a fixed value, without a database.
    pub(super) fn fixed(value: Value) -> Self {
        let current = RwLock::new(Arc::new(Snapshot::new(value)));
        let later = Instant::now() + Duration::from_hours(1);
        Self(Some(Arc::new(Source {
            query: None,
            current,
            has_asked: AtomicBool::new(true),
            times: Mutex::new(Times::new(Some(later))),
        })))
    }
}

#[cfg(test)]
#[path = "published_tests.rs"]
mod tests;
