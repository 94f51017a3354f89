//! Lists folders and objects with SQL functions of schema `storage`, in the role of the caller.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;

use super::buckets::escape_like;
use super::serialize_time;
use crate::db::transaction::Tx;
use crate::error::Result;

/// An object or a folder. All fields of a folder except `name` are null.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) id: Option<Uuid>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) updated_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) last_accessed_at: Option<DateTime<Utc>>,
    pub(crate) metadata: Option<Value>,
}

/// Parameters of a listing by folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a> {
    pub(crate) bucket: &'a str,
    /// Path of the listed folder with a trailing slash, or an empty string for the top level.
    pub(crate) prefix: &'a str,
    /// Prefix of the entries' names within the listed folder.
    pub(crate) search: &'a str,
    pub(crate) limit: i64,
    pub(crate) offset: i64,
    pub(crate) column: &'static str,
    pub(crate) order: &'static str,
}

/// Lists one level of folders and objects. The returned names are relative to the prefix.
pub(crate) async fn search(tx: &mut Tx, wanted: &Search<'_>) -> Result<Vec<Entry>> {
    let levels = i32::try_from(wanted.prefix.split('/').count()).unwrap_or(i32::MAX);
    let entries = sqlx::query_as!(
        Entry,
        r#"select name as "name!", id, updated_at, created_at, last_accessed_at, metadata
             from storage.search($1, $2, $3, $4, $5, $6, $7, $8)"#,
        wanted.prefix,
        wanted.bucket,
        i32::try_from(wanted.limit).unwrap_or(i32::MAX),
        levels,
        i32::try_from(wanted.offset).unwrap_or(i32::MAX),
        wanted.search,
        wanted.column,
        wanted.order,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(entries)
}

/// A folder or object with its full name. `key` is the part of the name that belongs to the listed level; `None` in a listing of all
/// levels.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub(crate) struct Keyed {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[sqlx(default)]
    pub(crate) key: Option<String>,
    pub(crate) name: String,
    pub(crate) id: Option<Uuid>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) updated_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) last_accessed_at: Option<DateTime<Utc>>,
    pub(crate) metadata: Option<Value>,
}

/// Parameters of one page of an object listing by prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) prefix: &'a str,
    pub(crate) limit: i64,
    /// Last object key of the previous page; empty for the first page.
    pub(crate) after: &'a str,
    /// Column to sort by, from the fixed list of the endpoint.
    pub(crate) column: &'static str,
    /// Sort order: `asc` or `desc`.
    pub(crate) order: &'static str,
    /// Value of the sort column for the last entry of the previous page, if the column is a time.
    pub(crate) after_value: Option<&'a str>,
}

/// Lists one level of folders (names with a trailing slash) and objects below a prefix.
pub(crate) async fn by_folder(tx: &mut Tx, page: &Page<'_>) -> Result<Vec<Keyed>> {
    let levels = i32::try_from(page.prefix.split('/').count()).unwrap_or(i32::MAX);
    let entries = sqlx::query_as!(
        Keyed,
        r#"select key, name as "name!", id, updated_at, created_at, last_accessed_at, metadata
             from storage.search_v2($1, $2, $3, $4, $5, $6, $7, $8)"#,
        page.prefix,
        page.bucket,
        i32::try_from(page.limit).unwrap_or(i32::MAX),
        levels,
        page.after,
        page.order,
        page.column,
        page.after_value,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(entries)
}

/// Lists objects of all levels below a prefix.
pub(crate) async fn flat(tx: &mut Tx, page: &Page<'_>) -> Result<Vec<Keyed>> {
    let mut query = QueryBuilder::<Postgres>::new(
        "select name, id, updated_at, created_at, last_accessed_at, metadata from storage.objects where bucket_id = ",
    );
    query.push_bind(page.bucket);
    query.push(" and name like ").push_bind(format!("{}%", escape_like(page.prefix)));
    let beyond = if page.order == "asc" { " > " } else { " < " };
    // The column and the sort order come from fixed lists, so they need no quoting. Times are truncated to milliseconds, because cursors
    // contain times in milliseconds.
    let by_time = (page.column != "name").then(|| format!("date_trunc('milliseconds', {})", page.column));
    match (&by_time, page.after) {
        (_, "") => {}
        (Some(time), after) => {
            query.push(format!(" and ({time}, name collate \"C\")")).push(beyond).push("(coalesce(");
            query.push_bind(page.after_value).push("::timestamptz, 'epoch'), ").push_bind(after).push(")");
        }
        (None, after) => {
            query.push(" and name collate \"C\"").push(beyond).push_bind(after);
        }
    }
    query.push(" order by ");
    if let Some(time) = &by_time {
        query.push(format!("{time} {}, ", page.order));
    }
    query.push("name collate \"C\" ").push(page.order).push(" limit ").push_bind(page.limit);
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Lists objects in byte order of names, starting after the name `after`. With a delimiter, names are grouped into common prefixes (S3).
pub(crate) async fn delimited(
    tx: &mut Tx,
    bucket: &str,
    prefix: &str,
    delimiter: &str,
    limit: i64,
    after: &str,
) -> Result<Vec<Entry>> {
    let entries = sqlx::query_as!(
        Entry,
        r#"select name as "name!", id, updated_at, created_at, last_accessed_at, metadata
             from storage.list_objects_with_delimiter($1, $2, $3, $4, $5)"#,
        bucket,
        prefix,
        delimiter,
        i32::try_from(limit).unwrap_or(i32::MAX),
        after,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(entries)
}
