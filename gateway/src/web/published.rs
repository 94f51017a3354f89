//! Content that a project publishes in its pages: one JSON value, which a database function returns. The function is called as role anon.
//!
//! Pages are rendered at build time with placeholders for this content ([`super::placeholders`]), which are replaced when a page is sent.
//! Therefore the page that a browser first displays contains the content, although the server does not run the app's code. After a new build,
//! the content need not be published again.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use cloch_sql::{Caller, Database};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::AssertSqlSafe;
use tokio::sync::Mutex;

/// Maximum age of the published content that a page contains when it is sent.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Timeout of the query for the published content. If it is exceeded, the page is sent with the previous content.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum size of the published content as JSON in bytes. Limited, because a page may contain all of it.
const MAX_BYTES: usize = 512 * 1024;

/// The published content at one time, and a hash that identifies it.
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

/// Source of the content that a project publishes; `None` inside if the project publishes no content.
#[derive(Clone, Debug, Default)]
pub struct Published(Option<Arc<Source>>);

#[derive(Debug)]
struct Source {
    /// Database, and the SQL statement that queries the content. `None` in tests, whose content is fixed.
    query: Option<(Database, String)>,
    current: RwLock<Arc<Snapshot>>,
    /// Time of the last query. The mutex is locked while a query runs.
    asked: Mutex<Option<Instant>>,
}

/// `[web] content` is not a valid function name.
#[derive(Debug, thiserror::Error)]
#[error("cloch.toml: web.content: {0:?} is no name of a function in the schema public: letters, digits and _")]
pub struct NoFunctionName(String);

impl Published {
    /// Creates the source for the result of the function `function` in schema `public`. Role anon must have the right to call the function.
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
        Ok(Self(Some(Arc::new(Source { query: Some((database, statement)), current, asked: Mutex::new(None) }))))
    }

    /// Returns the published content, which is at most [`MAX_AGE`] old. If several requests need new content at the same time, one of them
    /// queries the database and the others use the previous content. `None` if the project publishes no content.
    pub(super) async fn current(&self) -> Option<Arc<Snapshot>> {
        let source = self.0.as_ref()?;
        // Before the first query has ended there is no previous content, so all requests wait for it.
        let asked = match source.latest().value.is_null() {
            true => Some(source.asked.lock().await),
            false => source.asked.try_lock().ok(),
        };
        if let Some(mut asked) = asked
            && asked.is_none_or(|at| at.elapsed() >= MAX_AGE)
        {
            source.refresh().await;
            *asked = Some(Instant::now());
        }
        Some(source.latest())
    }
}

impl Source {
    fn latest(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn refresh(&self) {
        let statement = self.query.as_ref().map(|(_, statement)| statement.as_str());
        let value = match tokio::time::timeout(QUERY_TIMEOUT, self.ask()).await {
            Ok(Ok(value)) => value,
            Ok(Err(error)) => {
                return tracing::warn!(
                    %error,
                    statement,
                    "web: reading the published content failed (result of the database function that [web] content of cloch.toml names), \
                     the app's pages keep their previous content"
                );
            }
            Err(_) => {
                return tracing::warn!(
                    statement,
                    "web: timeout reading the published content: the database function that [web] content of cloch.toml names took too long, \
                     the app's pages keep their previous content"
                );
            }
        };
        let next = Snapshot::new(value);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.digest != next.digest {
            *current = Arc::new(next);
        }
    }

    async fn ask(&self) -> sqlx::Result<Value> {
        let Some((database, statement)) = &self.query else {
            return Ok(Value::Null);
        };
        let mut transaction = database.begin_as(&Caller::anon()).await?;
        // The statement is not cached as a prepared statement, because PostgreSQL would refuse it after a change of the function's return
        // type.
        let value: Option<Value> = sqlx::query_scalar(AssertSqlSafe(statement.as_str()))
            .persistent(false)
            .fetch_one(&mut *transaction)
            .await?;
        let value = value.unwrap_or_default();
        if value.to_string().len() > MAX_BYTES {
            return Err(sqlx::Error::Protocol(format!("the content is larger than {MAX_BYTES} bytes")));
        }
        Ok(value)
    }
}

#[cfg(test)]
impl Published {
    /// Creates published content with a fixed value, without a database.
    pub(super) fn fixed(value: Value) -> Self {
        let current = RwLock::new(Arc::new(Snapshot::new(value)));
        let later = Instant::now() + Duration::from_hours(1);
        Self(Some(Arc::new(Source { query: None, current, asked: Mutex::new(Some(later)) })))
    }
}

#[cfg(test)]
#[path = "published_tests.rs"]
mod tests;
