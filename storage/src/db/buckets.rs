//! Queries on `storage.buckets`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgExecutor, Postgres, QueryBuilder};
use uuid::Uuid;

use super::{serialize_text, serialize_time};
use crate::db::transaction::Tx;
use crate::error::{Error, Kind, OBJECT_VERSIONS, Result};
use crate::model::owner::Owner;

/// A bucket in the format of the API.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub(crate) struct Bucket {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(serialize_with = "serialize_text")]
    pub(crate) owner: Option<Uuid>,
    pub(crate) public: bool,
    pub(crate) file_size_limit: Option<i64>,
    pub(crate) allowed_mime_types: Option<Vec<String>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) updated_at: Option<DateTime<Utc>>,
    /// Versioning status: `ENABLED` or `SUSPENDED`. The field is omitted if versioning was never enabled, because older clients do not
    /// support it.
    #[serde(skip_serializing_if = "is_disabled")]
    pub(crate) versioning_status: String,
}

fn is_disabled(status: &str) -> bool {
    status == VERSIONS_DISABLED
}

/// Versioning status of a bucket for which versioning was never enabled.
pub(crate) const VERSIONS_DISABLED: &str = "DISABLED";

/// Restrictions that a bucket sets for its objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct BucketRules {
    pub(crate) file_size_limit: Option<i64>,
    pub(crate) allowed_mime_types: Option<Vec<String>>,
}

impl From<Bucket> for BucketRules {
    fn from(bucket: Bucket) -> Self {
        Self { file_size_limit: bucket.file_size_limit, allowed_mime_types: bucket.allowed_mime_types }
    }
}

impl BucketRules {
    /// Returns the allowed media types. The list is empty if all types are allowed.
    pub(crate) fn allowed_types(&self) -> &[String] {
        self.allowed_mime_types.as_deref().unwrap_or_default()
    }
}

/// Settings for the creation or update of a bucket.
#[derive(Clone, Debug, Default)]
pub(crate) struct BucketSettings {
    /// Whether everybody may read the bucket's objects. `None` leaves the setting unchanged.
    pub(crate) public: Option<bool>,
    /// Maximum object size of the bucket in bytes. `None` leaves the limit unchanged, `Some(None)` removes the limit.
    pub(crate) file_size_limit: Option<Option<i64>>,
    /// Allowed media types. `None` leaves the list unchanged, `Some(None)` removes the restriction.
    pub(crate) allowed_mime_types: Option<Option<Vec<String>>>,
    /// Versioning status: `ENABLED` to keep versions of objects, `SUSPENDED` to create no further versions. `None` leaves the status
    /// unchanged.
    pub(crate) versioning_status: Option<&'static str>,
}

impl BucketSettings {
    pub(crate) fn is_empty(&self) -> bool {
        self.public.is_none()
            && self.file_size_limit.is_none()
            && self.allowed_mime_types.is_none()
            && self.versioning_status.is_none()
    }
}

pub(crate) async fn find(connection: impl PgExecutor<'_>, id: &str) -> Result<Option<Bucket>> {
    let bucket = sqlx::query_as!(
        Bucket,
        r#"select id, name, owner, coalesce(public, false) as "public!", file_size_limit, allowed_mime_types,
                  created_at, updated_at,
                  coalesce(to_jsonb(b) ->> 'versioning_status', 'DISABLED') as "versioning_status!"
             from storage.buckets as b where id = $1"#,
        id,
    )
    .fetch_optional(connection)
    .await?;
    Ok(bucket)
}

/// Returns the bucket with the given id, or [`Error::NoSuchBucket`].
pub(crate) async fn get(tx: &mut Tx, id: &str) -> Result<Bucket> {
    find(&mut **tx, id).await?.ok_or(Error::NoSuchBucket)
}

/// Inserts a bucket.
///
/// # Errors
/// [`Error::AlreadyExists`] if a bucket with this id or name exists.
pub(crate) async fn insert(tx: &mut Tx, id: &str, name: &str, owner: &Owner, settings: &BucketSettings) -> Result<()> {
    let allowed = settings.allowed_mime_types.clone().flatten();
    let (public, limit) = (settings.public.unwrap_or(false), settings.file_size_limit.flatten());
    let inserted = match settings.versioning_status {
        None => {
            sqlx::query!(
                "insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
                 values ($1, $2, $3, $4, $5, $6, $7)",
                id,
                name,
                owner.uuid,
                owner.id,
                public,
                limit,
                allowed.as_deref(),
            )
            .execute(&mut **tx)
            .await
        }
        Some(status) => {
            sqlx::query!(
                "insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types,
                                              versioning_status)
                 values ($1, $2, $3, $4, $5, $6, $7, $8)",
                id,
                name,
                owner.uuid,
                owner.id,
                public,
                limit,
                allowed.as_deref(),
                status,
            )
            .execute(&mut **tx)
            .await
        }
    };
    inserted.map_err(|error| match error.into() {
        Error::AlreadyExists(_) => Error::AlreadyExists(Kind::Bucket),
        other => refusal(other, settings),
    })?;
    Ok(())
}

/// Converts the error of an INSERT or UPDATE of a bucket. If the statement sets the versioning status and violates a check constraint on
/// `storage.buckets`, the result is [`OBJECT_VERSIONS`]: Supabase Storage created the database, which therefore does not support
/// versioning.
fn refusal(error: Error, settings: &BucketSettings) -> Error {
    match error {
        Error::Database(state) if state == "23514" && settings.versioning_status.is_some() => OBJECT_VERSIONS,
        other => other,
    }
}

/// Sets the versioning status of a bucket. Returns `false` if the bucket does not exist or the caller may not update it.
pub(crate) async fn set_versioning(tx: &mut Tx, id: &str, status: &'static str) -> Result<bool> {
    let settings = BucketSettings { versioning_status: Some(status), ..BucketSettings::default() };
    let done = sqlx::query!("update storage.buckets set versioning_status = $2 where id = $1 returning id", id, status)
        .fetch_optional(&mut **tx)
        .await
        .map_err(|error| refusal(error.into(), &settings))?;
    Ok(done.is_some())
}

/// Updates a bucket. Returns `false` if the bucket does not exist or the caller may not update it.
pub(crate) async fn update(tx: &mut Tx, id: &str, settings: &BucketSettings) -> Result<bool> {
    let allowed = settings.allowed_mime_types.clone().flatten();
    let done = sqlx::query!(
        "update storage.buckets
            set public = coalesce($2, public),
                file_size_limit = case when $3 then $4 else file_size_limit end,
                allowed_mime_types = case when $5 then $6 else allowed_mime_types end
          where id = $1
          returning id",
        id,
        settings.public,
        settings.file_size_limit.is_some(),
        settings.file_size_limit.flatten(),
        settings.allowed_mime_types.is_some(),
        allowed.as_deref(),
    )
    .fetch_optional(&mut **tx)
    .await?;
    match settings.versioning_status {
        Some(status) if done.is_some() => set_versioning(tx, id, status).await,
        _ => Ok(done.is_some()),
    }
}

/// Returns whether the caller may update the bucket. Tests this with an UPDATE of the bucket's row that changes no value.
pub(crate) async fn touch(tx: &mut Tx, id: &str) -> Result<bool> {
    let touched = sqlx::query!("update storage.buckets set public = public where id = $1 returning id", id);
    Ok(touched.fetch_optional(&mut **tx).await?.is_some())
}

/// Deletes a bucket. Returns `false` if the bucket does not exist or the caller may not delete it.
pub(crate) async fn delete(tx: &mut Tx, id: &str) -> Result<bool> {
    let done = sqlx::query!("delete from storage.buckets where id = $1", id).execute(&mut **tx).await?;
    Ok(done.rows_affected() > 0)
}

/// Locks the row of a bucket until the end of the transaction, so that until then no object can be added to the bucket. Returns whether the
/// bucket exists.
pub(crate) async fn lock(tx: &mut Tx, id: &str) -> Result<bool> {
    let row =
        sqlx::query!("select id from storage.buckets where id = $1 for update", id).fetch_optional(&mut **tx).await?;
    Ok(row.is_some())
}

pub(crate) async fn has_objects(tx: &mut Tx, id: &str) -> Result<bool> {
    let found =
        sqlx::query_scalar!(r#"select exists (select from storage.objects where bucket_id = $1) as "exists!""#, id,)
            .fetch_one(&mut **tx)
            .await?;
    Ok(found)
}

/// Filter, order and page of a bucket listing.
#[derive(Debug, Default)]
pub(crate) struct ListBuckets {
    pub(crate) limit: Option<i64>,
    pub(crate) offset: Option<i64>,
    /// Column to sort by, from the fixed list of the endpoint.
    pub(crate) sort_column: Option<&'static str>,
    /// Sort order: `asc` or `desc`.
    pub(crate) sort_order: Option<&'static str>,
    /// Substring that the bucket's name must contain, compared case-insensitively.
    pub(crate) search: Option<String>,
}

/// Start of a query for buckets, to which the condition is added.
const SELECT: &str = "select id, name, owner, coalesce(public, false) as public, file_size_limit, allowed_mime_types, created_at, updated_at, \
                             coalesce(to_jsonb(b) ->> 'versioning_status', 'DISABLED') as versioning_status \
                        from storage.buckets as b where ";

/// Returns the buckets whose id or name is in the list.
pub(crate) async fn with_names(tx: &mut Tx, names: Vec<String>) -> Result<Vec<Bucket>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    query.push("id = any(").push_bind(names.clone()).push(") or name = any(").push_bind(names).push(")");
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Lists the buckets that the caller can see.
pub(crate) async fn list(tx: &mut Tx, wanted: &ListBuckets) -> Result<Vec<Bucket>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    query.push("true");
    if let Some(search) = wanted.search.as_ref().filter(|search| !search.is_empty()) {
        query.push(" and name ilike ").push_bind(format!("%{}%", escape_like(search)));
    }
    if let Some(column) = wanted.sort_column {
        // The column and the sort order come from the endpoint's fixed lists, so they need no quoting.
        query.push(" order by ").push(column).push(" ").push(wanted.sort_order.unwrap_or("asc"));
    }
    if let Some(limit) = wanted.limit {
        query.push(" limit ").push_bind(limit);
    }
    if let Some(offset) = wanted.offset {
        query.push(" offset ").push_bind(offset);
    }
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Escapes a text for use in a SQL `like` pattern.
pub(crate) fn escape_like(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}
