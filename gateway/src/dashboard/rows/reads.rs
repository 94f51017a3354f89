//! Who read rows of what, with whose eyes: in the audit once in a while for each session, because a person who scrolls asks for a page at a time.

use std::sync::LazyLock;
use std::time::Duration;

use http::request::Parts;
use moka::sync::Cache;
use uuid::Uuid;

use crate::dashboard::audit::{Action, Entry};
use crate::dashboard::database::As;
use crate::dashboard::operators::Session;
use crate::dashboard::{ApiError, DashboardState};

/// Time in which further reads of the same rows are part of one that is recorded.
const ONE_READ: Duration = Duration::from_mins(10);
/// Bytes of the reads that are remembered; those beyond are recorded again. An operator may name a role of any length.
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

/// Records a read before it is done. `name` is the endpoint's, and `relation` has the schema's and the relation's names.
///
/// # Errors
/// When it cannot be recorded.
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

/// As [`record`], each time.
///
/// # Errors
/// When it cannot be recorded.
pub(in crate::dashboard) async fn record_always(
    state: &DashboardState,
    (parts, session): (&Parts, &Session),
    name: &str,
    relation: (&str, &str),
    who: &As,
) -> Result<Entry, ApiError> {
    let target = target(relation, who);
    let action = Action { operator: Some(&session.operator), email: None, name, target: &target };
    Entry::begin(state.database.admin(), parts, action).await
}

fn target((schema, table): (&str, &str), who: &As) -> String {
    format!("{schema}.{table} as {who}")
}
