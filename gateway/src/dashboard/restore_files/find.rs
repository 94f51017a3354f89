//! Finds the files of a bucket that can be restored: objects of the temporary copy of the database that do not exist now, or whose content was
//! replaced since.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::{Extension, Json};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::{Postgres, Transaction};

use crate::dashboard::audit::Note;
use crate::dashboard::database::Mode;
use crate::dashboard::extract::Input;
use crate::dashboard::restore_rows::begin_then;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of files on a page.
const PAGE_FILES: usize = 100;
/// Number of objects of the copy that are compared at once.
const BATCH_FILES: usize = 1000;
/// Time after which a page ends, even if it has fewer than `PAGE_FILES` files.
const SEARCH_TIME: Duration = Duration::from_secs(8);
/// Query for objects of the copy. Delete markers are not files.
const THEN: &str = "
    select name, version, (metadata ->> 'size')::bigint as size, metadata ->> 'mimetype' as mimetype, updated_at, metadata, user_metadata,
           metadata ->> 'eTag' as etag, owner, owner_id
      from storage.objects
     where bucket_id = $1 and version is not null and not is_delete_marker";
/// Query for the current objects of the bucket.
const NOW: &str = "
    select name, version, (metadata ->> 'size')::bigint as size, updated_at, metadata ->> 'eTag' as etag
      from storage.objects where bucket_id = $1 and name = any ($2) and not is_delete_marker";

/// An object of the copy.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Then {
    pub(super) name: String,
    /// Version, which is the key of the content.
    pub(super) version: String,
    pub(super) size: Option<i64>,
    mimetype: Option<String>,
    updated_at: Option<DateTime<Utc>>,
    /// Digest of the content.
    etag: Option<String>,
    pub(super) metadata: Option<serde_json::Value>,
    pub(super) user_metadata: Option<serde_json::Value>,
    pub(super) owner: Option<uuid::Uuid>,
    pub(super) owner_id: Option<String>,
}

/// The current object with the same name.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub(super) struct Now {
    #[serde(skip)]
    name: String,
    pub(super) version: Option<String>,
    size: Option<i64>,
    updated_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    etag: Option<String>,
}

impl Now {
    /// Whether the object has the same content as in the copy: the version is the same, or the same file was uploaded again.
    fn has_content_of(&self, then: &Then) -> bool {
        let is_same_content = self.etag.is_some() && self.etag == then.etag && self.size == then.size;
        is_same_content || self.version.as_ref() == Some(&then.version)
    }
}

#[derive(Deserialize)]
pub(super) struct FindRequest {
    bucket: String,
    /// Prefix of the names, such as a folder with its slash; empty for the whole bucket.
    #[serde(default)]
    prefix: String,
    /// Text that a name must contain; empty for all names.
    #[serde(default)]
    search: String,
    /// File name after which the page begins; `None` for the first page.
    after: Option<String>,
}

/// Page of files that can be restored.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    moment: DateTime<Utc>,
    files: Vec<FoundFile>,
    /// Number of objects of the copy that were compared for this page.
    compared: usize,
    /// Name after which the next page begins; `None` on the last page.
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct FoundFile {
    name: String,
    version: String,
    size: Option<i64>,
    mimetype: Option<String>,
    updated_at: Option<DateTime<Utc>>,
    /// The current file with this name; `None` if the file is deleted.
    now: Option<Now>,
}

pub(super) async fn find(
    State(state): State<DashboardState>,
    Input(asked): Input<FindRequest>,
) -> Result<(Extension<Note>, Json<Page>), ApiError> {
    let (copy, moment) = state.row_copy.connect().await?;
    let mut then = begin_then(&copy).await?;
    let mut now = state.begin_now(Mode::Read).await?;
    refuse_missing_bucket(&mut now, &asked.bucket).await?;
    let page = Page { moment, files: Vec::new(), compared: 0, next: None };
    let page = fill(page, &asked, &mut then, &mut now).await?;
    let note = Note(json!({ "bucket": asked.bucket, "prefix": asked.prefix, "moment": moment }));
    Ok((Extension(note), Json(page)))
}

/// Refuses a bucket that no longer exists, because files cannot be uploaded to it.
pub(super) async fn refuse_missing_bucket(now: &mut Transaction<'_, Postgres>, bucket: &str) -> Result<(), ApiError> {
    let exists: bool = sqlx::query_scalar("select exists (select from storage.buckets where id = $1)")
        .bind(bucket)
        .fetch_one(&mut **now)
        .await?;
    match exists {
        true => Ok(()),
        false => Err(ApiError::not_found("There is no such bucket now")),
    }
}

async fn fill(
    mut page: Page,
    asked: &FindRequest,
    then: &mut Transaction<'_, Postgres>,
    now: &mut Transaction<'_, Postgres>,
) -> Result<Page, ApiError> {
    let deadline = Instant::now() + SEARCH_TIME;
    let mut after = asked.after.clone();
    loop {
        let batch = read(asked, after.as_deref(), then).await?;
        let is_last = batch.len() < BATCH_FILES;
        let names: Vec<String> = batch.iter().map(|file| file.name.clone()).collect();
        let mut present = present(now, &asked.bucket, &names).await?;
        for file in batch {
            if page.files.len() == PAGE_FILES {
                page.next = after;
                return Ok(page);
            }
            after = Some(file.name.clone());
            page.compared += 1;
            let now = present.remove(&file.name);
            if now.as_ref().is_some_and(|now| now.has_content_of(&file)) {
                continue;
            }
            let Then { name, version, size, mimetype, updated_at, .. } = file;
            page.files.push(FoundFile { name, version, size, mimetype, updated_at, now });
        }
        if is_last {
            return Ok(page);
        }
        if Instant::now() >= deadline {
            page.next = after;
            return Ok(page);
        }
    }
}

/// Reads objects of the copy in the byte order of their names: those after `after` that match the request.
async fn read(
    asked: &FindRequest,
    after: Option<&str>,
    then: &mut Transaction<'_, Postgres>,
) -> Result<Vec<Then>, ApiError> {
    let text = format!(
        "{THEN} and starts_with(name, $2) and position(lower($3) in lower(name)) > 0 and ($4::text is null or name collate \"C\" > $4)
          order by name collate \"C\" limit {BATCH_FILES}"
    );
    let query = sqlx::query_as(sqlx::AssertSqlSafe(text)).persistent(false);
    let query = query.bind(&asked.bucket).bind(&asked.prefix).bind(&asked.search).bind(after);
    Ok(query.fetch_all(&mut **then).await?)
}

/// Reads the objects of the copy with these names.
pub(super) async fn chosen(
    bucket: &str,
    names: &[String],
    then: &mut Transaction<'_, Postgres>,
) -> Result<Vec<Then>, ApiError> {
    let query = sqlx::query_as(sqlx::AssertSqlSafe(format!("{THEN} and name = any ($2)"))).persistent(false);
    Ok(query.bind(bucket).bind(names).fetch_all(&mut **then).await?)
}

/// Reads the current objects with these names, by name.
pub(super) async fn present(
    now: &mut Transaction<'_, Postgres>,
    bucket: &str,
    names: &[String],
) -> Result<HashMap<String, Now>, ApiError> {
    let found: Vec<Now> = sqlx::query_as(NOW).bind(bucket).bind(names).fetch_all(&mut **now).await?;
    Ok(found.into_iter().map(|object| (object.name.clone(), object)).collect())
}
