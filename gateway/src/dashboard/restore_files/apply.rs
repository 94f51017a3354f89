//! Restores files: reads each content from the backup target and uploads it to Storage with the type, metadata and owner of the restored moment.
//! Storage checks limits and quota, and keeps a replaced file as a version if its bucket has versions.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::State;
use axum::{Extension, Json};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cloch_backup::stored_files::StoredFiles;
use futures_util::StreamExt;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method};
use serde::Deserialize;
use serde_json::{Value, json};

use super::find::{self, Then};
use crate::dashboard::apis::{answer, segment};
use crate::dashboard::audit::Note;
use crate::dashboard::database::{As, Mode};
use crate::dashboard::extract::Input;
use crate::dashboard::restore_rows::begin_then;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of files in a request.
const MAX_FILES: usize = 100;
/// Maximum total size of the files in a request, in bytes.
const MAX_BYTES: i64 = 5 << 30;
/// Maximum number of file names in the audit log.
const MAX_NOTED: usize = 20;

#[derive(Deserialize)]
pub(super) struct Chosen {
    bucket: String,
    files: Vec<ChosenFile>,
}

#[derive(Clone, Deserialize)]
struct ChosenFile {
    name: String,
    /// Version in the copy.
    version: String,
    /// Version of the current file with this name when the operator chose the file; `None` if no file had this name. If the file has
    /// another version now, it is not restored.
    now: Option<String>,
    /// Another name under which the file is restored. It must be free. `None` for the same name.
    to: Option<String>,
}

impl ChosenFile {
    fn target(&self) -> &str {
        self.to.as_deref().unwrap_or(&self.name)
    }
}

pub(super) async fn apply(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(chosen): Input<Chosen>,
) -> Result<(Extension<Note>, Json<Value>), ApiError> {
    let (copy, moment) = state.row_copy.connect().await?;
    let then = find_then(&chosen, &copy).await?;
    let stored = state.row_copy.stored_files().await?;
    let (mut restored, mut failed) = (Vec::new(), Vec::new());
    for file in &chosen.files {
        let outcome = match then.get(&file.name) {
            Some(then) => one(&state, &parts, &stored, &chosen.bucket, file, then).await,
            None => Err(ApiError::conflict("The copy has no such file")),
        };
        match outcome {
            Ok(()) => restored.push(file.target()),
            Err(error) => failed.push(json!({ "name": file.name, "message": text(&error) })),
        }
    }
    let note = json!({
        "bucket": chosen.bucket, "moment": moment, "restored": restored.len(), "failed": failed.len(),
        "paths": restored.iter().take(MAX_NOTED).collect::<Vec<_>>(),
    });
    Ok((Extension(Note(note)), Json(json!({ "restored": restored, "failed": failed }))))
}

/// Reads the chosen files from the copy, by name. Refuses a choice that is too large.
async fn find_then(chosen: &Chosen, copy: &sqlx::PgPool) -> Result<HashMap<String, Then>, ApiError> {
    let count = chosen.files.len();
    let targets: HashSet<&str> = chosen.files.iter().map(ChosenFile::target).collect();
    if count == 0 || count > MAX_FILES {
        return Err(ApiError::bad_request(format!("A request restores 1 to {MAX_FILES} files")));
    }
    if targets.len() != count {
        return Err(ApiError::bad_request("Two files have the same name"));
    }
    let names: Vec<String> = chosen.files.iter().map(|file| file.name.clone()).collect();
    let mut then = begin_then(copy).await?;
    let found = find::chosen(&chosen.bucket, &names, &mut then).await?;
    let total = found.iter().filter_map(|file| file.size).fold(0, i64::saturating_add);
    if total > MAX_BYTES {
        let error = ApiError::too_large(format!("A request restores at most {} GiB", MAX_BYTES >> 30));
        return Err(error.with_hint("`cloch restore --only` extracts larger files"));
    }
    Ok(found.into_iter().map(|file| (file.name.clone(), file)).collect())
}

/// Restores a file.
async fn one(
    state: &DashboardState,
    parts: &Parts,
    stored: &StoredFiles,
    bucket: &str,
    file: &ChosenFile,
    then: &Then,
) -> Result<(), ApiError> {
    if then.version != file.version {
        return Err(ApiError::conflict("The copy has another version of this file").with_hint("Search again"));
    }
    let mut now = state.begin_now(Mode::Read).await?;
    find::refuse_missing_bucket(&mut now, bucket).await?;
    let present = find::present(&mut now, bucket, &[file.target().to_owned()]).await?.remove(file.target());
    drop(now);
    let present = present.and_then(|present| present.version);
    if file.to.is_some() && present.is_some() {
        return Err(ApiError::conflict("This name is taken"));
    }
    if file.to.is_none() && present != file.now {
        return Err(ApiError::conflict("The file has changed since the list was made").with_hint("Search again"));
    }
    let content = stored.find(&then.version).await.map_err(not_read)?;
    // If the content is damaged, the upload fails as a broken request. The reason is kept for the operator.
    let failure = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&failure);
    let body = stored.read(content).map(move |part| {
        part.inspect_err(|error| *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string()))
    });
    let names: Vec<String> = [bucket].into_iter().chain(file.target().split('/')).map(segment).collect();
    let mut upload =
        state.request(parts, Method::POST, &format!("/object/{}", names.join("/")), Body::from_stream(body))?;
    for (name, value) in headers(then, present.is_some())? {
        upload.headers_mut().insert(name, value);
    }
    let uploaded = answer(state.send_to_storage(upload).await?).await.map_err(|error| {
        match failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(reason) => ApiError::conflict("The file cannot be read from the backup").with_hint(reason),
            None => error,
        }
    })?;
    give_back(state, bucket, uploaded.get("Id").and_then(Value::as_str), then).await
}

/// Returns the headers of the upload: size, type, lifetime in caches and metadata of the restored file.
fn headers(then: &Then, is_replaced: bool) -> Result<Vec<(HeaderName, HeaderValue)>, ApiError> {
    let invalid = |_| ApiError::conflict("The type of the file cannot be restored");
    let text = |key: &str| then.metadata.as_ref().and_then(|metadata| metadata.get(key)).and_then(Value::as_str);
    let upsert = HeaderValue::from_static(if is_replaced { "true" } else { "false" });
    let mimetype = HeaderValue::from_str(text("mimetype").unwrap_or("application/octet-stream")).map_err(invalid)?;
    let mut headers = vec![(CONTENT_TYPE, mimetype), (HeaderName::from_static("x-upsert"), upsert)];
    if let Some(size) = then.size {
        headers.push((CONTENT_LENGTH, HeaderValue::from(size)));
    }
    if let Some(control) = text("cacheControl") {
        headers.push((CACHE_CONTROL, HeaderValue::from_str(control).map_err(invalid)?));
    }
    if let Some(metadata) = &then.user_metadata {
        let encoded = HeaderValue::from_str(&STANDARD.encode(metadata.to_string())).map_err(invalid)?;
        headers.push((HeaderName::from_static("x-metadata"), encoded));
    }
    Ok(headers)
}

/// Restores the owner of the file, because policies may depend on the owner. An upload by the service role has no owner.
async fn give_back(state: &DashboardState, bucket: &str, id: Option<&str>, then: &Then) -> Result<(), ApiError> {
    if then.owner.is_none() && then.owner_id.is_none() {
        return Ok(());
    }
    let mut now = state.begin(&As::Role("postgres".to_owned()), Mode::Write).await?;
    let text = "update storage.objects set owner = $3, owner_id = $4 where bucket_id = $1 and id::text = $2";
    let query = sqlx::query(text).bind(bucket).bind(id).bind(then.owner).bind(&then.owner_id);
    // Without the owner, the member who owned the file could not read it, so the restore counts as failed.
    if query.execute(&mut *now).await?.rows_affected() != 1 {
        return Err(ApiError::conflict("The file was restored, but its owner was not set: it is not there any more"));
    }
    now.commit().await?;
    Ok(())
}

fn not_read(error: cloch_backup::BackupError) -> ApiError {
    ApiError::conflict("The file cannot be read from the backup").with_hint(error.to_string())
}

fn text(error: &ApiError) -> String {
    match error.hint() {
        Some(hint) => format!("{}. {hint}", error.message()),
        None => error.message().to_owned(),
    }
}
