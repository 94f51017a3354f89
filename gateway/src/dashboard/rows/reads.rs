//! Audit entries for reads of rows. An entry contains the relation, and the identity with which the operator reads it. Repeated reads in a
//! session share one entry for ten minutes, because the browser sends one request per page while the operator scrolls.

use std::sync::LazyLock;
use std::time::Duration;

use http::request::Parts;
use moka::sync::Cache;
use uuid::Uuid;

use crate::dashboard::audit::{Action, Entry};
use crate::dashboard::database::As;
use crate::dashboard::operators::Session;
use crate::dashboard::{ApiError, DashboardState};

/// Time in which repeated reads of the same relation with the same identity share an audit entry.
const ONE_READ: Duration = Duration::from_mins(10);
/// Maximum size in bytes of the cache of recorded reads. A read that was evicted from the cache is recorded again. The limit is in bytes
/// because the identity may contain a role name of any length.
const MAX_REMEMBERED_BYTES: u64 = 2 << 20;

static RECORDED: LazyLock<Cache<(Uuid, String), ()>> = LazyLock::new(|| {
    Cache::builder()
        .weigher(|(_, read): &(Uuid, String), ()| {
            u32::try_from(size_of::<(Uuid, String)>() + read.len()).unwrap_or(u32::MAX)
        })
        .max_capacity(MAX_REMEMBERED_BYTES)
        .time_to_live(ONE_READ)
        .build()
});

/// Writes the audit entry of a read before the rows are read. `name` is the endpoint's name, `relation` the schema and name of the relation.
/// Returns `None` if the same read was recorded recently.
///
/// # Errors
/// If the audit entry cannot be written.
pub(super) async fn record(
    state: &DashboardState,
    (parts, session): (&Parts, &Session),
    name: &str,
    relation: (&str, &str),
    who: &As,
) -> Result<Option<Entry>, ApiError> {
    let key = (session.id, format!("{name} {}", target(relation, who)));
    if RECORDED.contains_key(&key) {
        return Ok(None);
    }
    let entry = record_always(state, (parts, session), name, relation, who).await?;
    RECORDED.insert(key, ());
    Ok(Some(entry))
}

/// Writes the audit entry of a read, even if the same read was recorded recently.
///
/// # Errors
/// If the audit entry cannot be written.
pub(in crate::dashboard) async fn record_always(
    state: &DashboardState,
    (parts, session): (&Parts, &Session),
    name: &str,
    relation: (&str, &str),
    who: &As,
) -> Result<Entry, ApiError> {
    let target = target(relation, who);
    let action = Action { operator: Some(&session.operator), email: None, name, target: &target };
    Entry::begin(state.database.operators(), parts, action).await
}

fn target((schema, table): (&str, &str), who: &As) -> String {
    format!("{schema}.{table} as {who}")
}
