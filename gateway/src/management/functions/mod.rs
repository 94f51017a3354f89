//! `/functions`: served and uploaded functions of the project.

mod body;
mod deploy;

use std::time::UNIX_EPOCH;

use axum::Json;
use axum::extract::{Path, State};
use cloch_functions::FunctionsState;
use cloch_functions::deno::{Engine, Upload, VersionError, is_function_name};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{ApiError, ManagementState, Project};

pub(super) use body::body;
pub(super) use deploy::{Metadata, deploy};

const MAX_FUNCTIONS: usize = 500;

impl Project {
    fn functions_state(&self) -> Result<&FunctionsState, ApiError> {
        let off = || ApiError::new(StatusCode::NOT_FOUND, "Functions are switched off in config.toml");
        self.functions.as_ref().ok_or_else(off)
    }

    /// Returns the engine that runs the project's own functions. 404 if the project has none.
    pub(crate) fn engine(&self) -> Result<&Engine, ApiError> {
        let off = || ApiError::new(StatusCode::NOT_FOUND, "This project runs no functions of its own");
        self.functions_state()?.engine().ok_or_else(off)
    }

    /// Returns the description of a function. 404 if it does not exist.
    pub(crate) fn function(&self, slug: &str) -> Result<Value, ApiError> {
        let engine = self.engine()?;
        let unknown = || ApiError::new(StatusCode::NOT_FOUND, "Function not found");
        if !is_function_name(slug) {
            return Err(unknown());
        }
        if let (Some(upload), Some(number)) = (engine.versions().uploaded(slug), engine.versions().current_number(slug))
        {
            return Ok(self.described(slug, number, &upload));
        }
        let source = engine.source(slug).ok_or_else(unknown)?;
        let changed = std::fs::metadata(&source.entrypoint).and_then(|file| file.modified()).ok();
        let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let changed = i64::try_from(changed.as_millis()).unwrap_or_default();
        let relative =
            |file: &std::path::Path| file.strip_prefix(&source.project).unwrap_or(file).to_string_lossy().into_owned();
        let declared = self.functions_state()?.services();
        let upload = Upload {
            name: slug.to_owned(),
            verify_jwt: declared.settings.functions.get(slug).is_none_or(|declared| declared.verify_jwt),
            entrypoint_path: relative(&source.entrypoint),
            import_map_path: source.import_map.as_deref().map(relative),
            static_patterns: source.static_files.clone(),
            created_at: changed,
            updated_at: changed,
        };
        Ok(self.described(slug, source.version.unwrap_or(1), &upload))
    }

    /// Returns a function version in this API's JSON form. Paths begin with a temporary folder as in the hosted API, because the MCP server
    /// strips this folder.
    fn described(&self, slug: &str, version: u64, upload: &Upload) -> Value {
        let id = function_id(&self.reference, slug);
        let path = |path: &str| {
            format!("file:///tmp/user_fn_{}_{id}_{version}/source/{}", self.reference, path.trim_start_matches("./"))
        };
        let mut described = json!({
            "id": id, "slug": slug, "name": upload.name, "status": "ACTIVE", "version": version,
            "created_at": upload.created_at, "updated_at": upload.updated_at, "verify_jwt": upload.verify_jwt,
            "import_map": upload.import_map_path.is_some(), "entrypoint_path": path(&upload.entrypoint_path),
        });
        // The CLI rejects a null value.
        if let (Some(object), Some(import_map)) = (described.as_object_mut(), &upload.import_map_path) {
            object.insert("import_map_path".to_owned(), path(import_map).into());
        }
        described
    }

    /// Returns the descriptions of all functions, sorted by name.
    pub(crate) fn function_list(&self) -> Result<Value, ApiError> {
        let Ok(engine) = self.engine() else { return Ok(json!([])) };
        Ok(engine.names().iter().filter_map(|name| self.function(name).ok()).collect())
    }
}

/// Returns the id of a function. The id is derived from the function's name, so it is the same for all versions and on every node.
fn function_id(reference: &str, slug: &str) -> uuid::Uuid {
    let digest = Sha256::digest(format!("{reference}/{slug}"));
    let bytes: [u8; 16] = std::array::from_fn(|index| digest.get(index).copied().unwrap_or_default());
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Converts an error of an upload or a version change into an error response.
fn refused(error: VersionError) -> ApiError {
    match error {
        VersionError::Io { .. } | VersionError::Database(_) => ApiError::internal("storing a function failed", error),
        VersionError::TooLarge => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
        other => ApiError::bad(other.to_string()),
    }
}

pub(super) async fn list(State(state): State<ManagementState>) -> Result<Json<Value>, ApiError> {
    state.function_list().map(Json)
}

pub(super) async fn show(
    State(state): State<ManagementState>,
    Path((_, slug)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    state.function(&slug).map(Json)
}

/// Refuses a deployment by an older client, which sends a bundle in the hosted runtime's format.
pub(super) async fn refuse_bundle() -> ApiError {
    ApiError::bad("Cloch takes functions as source code: deploy with `supabase functions deploy --use-api`")
}

#[derive(Deserialize)]
pub(super) struct Changes {
    name: Option<String>,
    verify_jwt: Option<bool>,
}

/// Changes the name or `verify_jwt` of an uploaded function.
pub(super) async fn change(
    State(state): State<ManagementState>,
    Path((_, slug)): Path<(String, String)>,
    Json(changes): Json<Changes>,
) -> Result<Json<Value>, ApiError> {
    state.function(&slug)?;
    let engine = state.engine()?;
    let in_folder = || ApiError::bad(format!("{slug} is code of the project's folder: config.toml says what it is"));
    let upload = engine.versions().uploaded(&slug).ok_or_else(in_folder)?;
    let number = engine.versions().current_number(&slug).ok_or_else(in_folder)?;
    let upload = Upload {
        name: changes.name.unwrap_or(upload.name.clone()),
        verify_jwt: changes.verify_jwt.unwrap_or(upload.verify_jwt),
        updated_at: Upload::now(),
        ..upload
    };
    engine.deployments().describe(&slug, number, &upload).await.map_err(refused)?;
    engine.refresh(&slug).await;
    state.function(&slug).map(Json)
}

pub(super) async fn remove(
    State(state): State<ManagementState>,
    Path((_, slug)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    state.function(&slug)?;
    let engine = state.engine()?;
    if engine.is_in_folder(&slug) {
        let message = format!("{slug} is code of the project's folder: remove it there");
        return Err(ApiError::new(StatusCode::CONFLICT, message));
    }
    engine.deployments().remove(&slug).await.map_err(refused)?;
    engine.refresh(&slug).await;
    Ok(Json(json!({})))
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    slug: String,
    version: u64,
    name: Option<String>,
    verify_jwt: Option<bool>,
}

/// Serves uploaded versions of several functions. The CLI sends this request at the end of a deployment of several functions.
pub(super) async fn switch_all(
    State(state): State<ManagementState>,
    Json(wanted): Json<Vec<Wanted>>,
) -> Result<Json<Value>, ApiError> {
    if wanted.len() > MAX_FUNCTIONS {
        return Err(ApiError::bad(format!("{MAX_FUNCTIONS} functions can be changed at once")));
    }
    let engine = state.engine()?;
    let mut uploads = Vec::new();
    for one in &wanted {
        let unknown = || ApiError::bad(format!("{} has no uploaded version {}", one.slug, one.version));
        let known =
            is_function_name(&one.slug).then(|| engine.versions().uploaded_as(&one.slug, one.version)).flatten();
        let upload = known.ok_or_else(unknown)?;
        uploads.push(Upload {
            name: one.name.clone().unwrap_or(upload.name.clone()),
            verify_jwt: one.verify_jwt.unwrap_or(upload.verify_jwt),
            ..upload
        });
    }
    let mut functions = Vec::new();
    for (one, upload) in wanted.iter().zip(&uploads) {
        engine.deployments().describe(&one.slug, one.version, upload).await.map_err(refused)?;
        engine.deployments().serve(&one.slug, one.version).await.map_err(refused)?;
        engine.refresh(&one.slug).await;
        functions.push(state.function(&one.slug)?);
    }
    Ok(Json(json!({ "functions": functions })))
}
