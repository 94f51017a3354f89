//! Writes the row of an object in `storage.objects`. Every upload needs two round trips: a permission check, and the write.

use cloch_sql::LocalSettings;
use cloch_sql::client::{ClientError, Param, Pool, Row, Rows};
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use super::buckets::BucketRules;
use super::retrying_query::{Outcome, RetryingQuery, Statement};
use crate::error::{Error, Kind};
use crate::model::object_path::ObjectPath;
use crate::model::owner::Owner;

/// A row of `storage.objects` to be written. The same type is used for a permission check, which writes the row and rolls it back.
#[derive(Clone, Debug)]
pub(crate) struct NewObject<'a> {
    pub(crate) path: &'a ObjectPath,
    pub(crate) owner: &'a Owner,
    /// Whether an existing object may be replaced. A replaced row keeps its id; it also keeps its owner and custom metadata unless new
    /// values are given.
    pub(crate) upsert: bool,
    pub(crate) metadata: &'a Value,
    /// Custom metadata. `None` keeps the existing custom metadata of a replaced row.
    pub(crate) user_metadata: Option<&'a Value>,
}

/// Result of writing the row of an object.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) id: Uuid,
    /// Version whose blob can be deleted, because no row refers to the blob after the write. `None` if the write has replaced no object, or
    /// if the bucket keeps the replaced object as an archived version.
    pub(crate) replaced: Option<String>,
    /// Whether the bucket keeps the object as a version when the object is replaced.
    pub(crate) is_versioned: bool,
}

impl NewObject<'_> {
    fn path_and_owner(&self) -> Vec<Param> {
        let uuid = self.owner.uuid.map(|uuid| uuid.to_string());
        vec![
            text(&self.path.bucket),
            text(&self.path.name),
            Param::nullable(uuid),
            Param::nullable(self.owner.id.clone()),
        ]
    }

    fn content(&self) -> Vec<Param> {
        let user_metadata = self.user_metadata.map(Value::to_string);
        vec![
            text(&self.metadata.to_string()),
            Param::nullable(user_metadata),
            text(if self.upsert { "t" } else { "f" }),
        ]
    }
}

/// Checks whether `role` may write an object's row: writes the row in that role and rolls the write back. The optional statement `first`
/// runs before the write in the same transaction. Returns the restrictions of the bucket, or `None` if the bucket does not exist. An insert
/// requires only an INSERT policy. An upsert also requires a SELECT policy, and an UPDATE policy if an object with this name exists.
///
/// # Errors
/// Errors of RLS policies, constraints and triggers, which [`write_error`] converts.
pub(crate) async fn try_write(
    pool: &Pool,
    first: Option<Statement>,
    role: &str,
    settings: &LocalSettings,
    object: &NewObject<'_>,
) -> Result<Option<BucketRules>, ClientError> {
    let params = [setting_params(settings), vec![text(role)], object.path_and_owner(), object.content()].concat();
    let rows = RetryingQuery::of_upload(first, (TRY, params)).run(pool).await.result?;
    last(&rows).map(rules).transpose()
}

const TRY: &str = "select file_size_limit, to_json(allowed_mime_types) \
                   from cloch.try_object($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// Writes an object's row in a separate transaction: inserts the row or replaces the object with the same name. If `if_match` is given, the
/// existing object must have this entity tag. If the connection is lost, the write is retried and may be executed twice. The caller can
/// then find the row by the object's unique version ([`find_version`]).
///
/// # Errors
/// Database errors, which [`write_error`] converts.
pub(crate) async fn write(
    pool: &Pool,
    settings: &LocalSettings,
    version: &str,
    (object, if_match): (&NewObject<'_>, Option<&str>),
) -> Outcome<Written> {
    let params = [setting_params(settings), object.path_and_owner(), vec![text(version)], object.content()].concat();
    let statement = match if_match {
        None => (WRITE, params),
        Some(etag) => (WRITE_IF, [params, vec![text(etag)]].concat()),
    };
    let Outcome { result, was_lost } = RetryingQuery::of_upload(None, statement).run(pool).await;
    let result = result.and_then(|rows| last(&rows).and_then(written).ok_or_else(unreadable));
    Outcome { result, was_lost }
}

const WRITE: &str =
    "select id, replaced, is_versioned from cloch.write_object($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

const WRITE_IF: &str =
    "select id, replaced, is_versioned from cloch.write_object_if($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// Finds the object or archived version that was written with `version`. The query bypasses RLS policies. `None` if the row does not exist,
/// for example because a later write has replaced the object.
pub(crate) async fn find_version(pool: &PgPool, version: &str) -> sqlx::Result<Option<Written>> {
    let found = sqlx::query!(
        r#"select id as "id!", is_versioned as "is_versioned!" from storage.objects where version = $1
           union all select object_id, is_versioned from cloch.object_versions where version = $1 and not is_delete_marker"#,
        version,
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.map(|row| Written { id: row.id, replaced: None, is_versioned: row.is_versioned }))
}

/// Converts the error of writing an object's row. Without upsert, a unique violation means that an object with this name exists.
pub(crate) fn write_error(error: ClientError, upsert: bool) -> Error {
    match error.into() {
        Error::AlreadyExists(_) if !upsert => Error::AlreadyExists(Kind::Key),
        other => other,
    }
}

/// Returns the first row of the last statement's result; `None` if the result is empty.
fn last(rows: &[Rows]) -> Option<&Row> {
    rows.last()?.rows().first()
}

fn setting_params(settings: &LocalSettings) -> Vec<Param> {
    vec![Param::texts(settings.names()), Param::texts(settings.values())]
}

fn text(text: &str) -> Param {
    Param::unknown(text.to_owned())
}

fn rules(row: &Row) -> Result<BucketRules, ClientError> {
    let limit = row.text(0).map(str::parse).transpose().map_err(|_| unreadable())?;
    let types = row.text(1).map(serde_json::from_str).transpose().map_err(|_| unreadable())?;
    Ok(BucketRules { file_size_limit: limit, allowed_mime_types: types })
}

fn written(row: &Row) -> Option<Written> {
    let is_versioned = row.text(2) == Some("t");
    Some(Written { id: row.text(0)?.parse().ok()?, replaced: row.text(1).map(str::to_owned), is_versioned })
}

fn unreadable() -> ClientError {
    ClientError::Lost("unexpected columns in the query result".to_owned())
}
