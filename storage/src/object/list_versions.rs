//! Lists objects including their versions: the options `noncurrentVersions`, `deleteMarkers` and `exactMatch` of `list` and `list-v2`.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::cursor::Cursor;
use crate::db::versions::{self, Filter, ListVersions, ListedVersion};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;

/// Maximum number of entries in a listing with a sort order other than ascending names. All entries of such a listing are sorted in memory.
const MAX_SORTED: i64 = 10_000;

/// Options that select the object versions in a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    noncurrent: Filter,
    markers: Filter,
    exact: bool,
}

impl Wanted {
    /// Parses the options for versions. `None` if the options are absent or select only current objects, because the listing without
    /// versions then has the same result.
    pub(super) fn of(fields: &mut Fields) -> Option<Self> {
        let mut filter = |name| fields.choice(name, &Filter::WORDS).map_or_else(Filter::default, Filter::of);
        let (noncurrent, markers) = (filter("noncurrentVersions"), filter("deleteMarkers"));
        let exact = fields.boolean("exactMatch").unwrap_or(false);
        let wanted = Self { noncurrent, markers, exact };
        (wanted != Self::default()).then_some(wanted)
    }
}

/// Parameters of a page of the endpoint `list`, with object versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'a> {
    pub(super) bucket: &'a str,
    /// The listed folder with a trailing slash, an empty string for the top level, or the exact object name.
    pub(super) prefix: &'a str,
    /// Prefix of the entries' names within the listed folder.
    pub(super) search: &'a str,
    pub(super) limit: i64,
    pub(super) offset: i64,
    pub(super) column: &'static str,
    pub(super) descending: bool,
}

/// Lists one level of folders and object versions. The returned names are relative to the prefix.
///
/// # Errors
/// If more than [`MAX_SORTED`] entries would have to be sorted or skipped.
pub(super) async fn level(
    state: &StorageState,
    identity: &Authenticated,
    wanted: Wanted,
    level: Level<'_>,
) -> Result<Vec<ListedVersion>> {
    let prefix = if wanted.exact { level.prefix.to_owned() } else { format!("{}{}", level.prefix, level.search) };
    let is_sorted = level.column == "name" && !level.descending;
    let needed = if is_sorted { level.limit.saturating_add(level.offset) } else { i64::MAX };
    let limit = needed.min(MAX_SORTED + 1);
    let page = ListVersions {
        bucket: level.bucket,
        prefix: &prefix,
        exact: wanted.exact,
        delimiter: if wanted.exact { "" } else { "/" },
        noncurrent: wanted.noncurrent,
        markers: wanted.markers,
        after: "",
        after_version: "",
        limit,
    };
    let mut tx = identity.begin_as_service(state.database(), Operation::ObjectList).await?;
    let mut entries = versions::list(&mut tx, identity.caller().role(), &page).await?;
    tx.rollback().await?;
    if i64::try_from(entries.len()).unwrap_or(i64::MAX) > MAX_SORTED {
        let text = format!("More than {MAX_SORTED} versions: ask for a longer prefix, or use the second listing");
        return Err(Error::InvalidRequest(text));
    }
    sort(&mut entries, level.column, level.descending);
    let folder = match wanted.exact {
        true => level.prefix.rfind('/').map_or(0, |at| at + 1),
        false => level.prefix.len(),
    };
    let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let shown = entries.into_iter().skip(size(level.offset)).take(size(level.limit));
    Ok(shown
        .map(|mut entry| {
            entry.name = entry.name.get(folder..).unwrap_or_default().trim_end_matches('/').to_owned();
            entry
        })
        .collect())
}

/// Sorts listing entries that are ordered by name. The sort is stable, so versions of the same object stay in the order newest first.
fn sort(entries: &mut [ListedVersion], column: &'static str, descending: bool) {
    let time = |entry: &ListedVersion| match column {
        "updated_at" => entry.updated_at,
        "created_at" => entry.created_at,
        _ => entry.last_accessed_at,
    };
    match (column, descending) {
        ("name", false) => {}
        ("name", true) => entries.sort_by(|one, other| other.name.cmp(&one.name)),
        (_, false) => entries.sort_by_key(time),
        (_, true) => entries.sort_by_key(|entry| Reverse(time(entry))),
    }
}

/// Parameters of a page of the endpoint `list-v2`, with object versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextPage<'a> {
    pub(super) bucket: &'a str,
    pub(super) prefix: &'a str,
    pub(super) folders: bool,
    pub(super) limit: i64,
    pub(super) after: &'a Cursor,
}

/// Lists a page of object versions by prefix.
///
/// # Errors
/// If the sort order is not by name ascending, because pagination of versions supports no other order.
pub(super) async fn page(
    state: &StorageState,
    identity: &Authenticated,
    wanted: Wanted,
    page: NextPage<'_>,
) -> Result<Value> {
    let after = page.after;
    if after.column.is_some_and(|column| column != "name") || after.order.is_some_and(|order| order != "asc") {
        return Err(Error::Schema("body/sortBy must be by name, ascending, where versions are listed".to_owned()));
    }
    let list = ListVersions {
        bucket: page.bucket,
        prefix: page.prefix,
        exact: wanted.exact,
        delimiter: if page.folders { "/" } else { "" },
        noncurrent: wanted.noncurrent,
        markers: wanted.markers,
        after: &after.last,
        after_version: after.version.as_deref().unwrap_or_default(),
        limit: page.limit + 1,
    };
    let mut tx = identity.begin_as_service(state.database(), Operation::ObjectListV2).await?;
    let mut entries = versions::list(&mut tx, identity.caller().role(), &list).await?;
    tx.rollback().await?;
    let has_next = entries.len() > usize::try_from(page.limit).unwrap_or(usize::MAX);
    if has_next {
        entries.pop();
    }
    let next = entries.last().filter(|_| has_next).map(|last| {
        let cursor = Cursor { last: last.name.clone(), version: last.version.clone(), ..Cursor::default() };
        (last.name.clone(), cursor.encode())
    });
    let (objects, folders): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.id.is_some());
    let folders: Vec<Value> = folders.into_iter().map(|folder| json!({ "name": folder.name })).collect();
    let mut answer = json!({ "hasNext": has_next, "folders": folders, "objects": objects });
    if let (Some((key, cursor)), Some(map)) = (next, answer.as_object_mut()) {
        map.insert("nextCursor".to_owned(), cursor.into());
        map.insert("nextCursorKey".to_owned(), key.into());
    }
    Ok(answer)
}
