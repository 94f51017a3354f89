//! `/functions`: code, versions, calls, logs and secrets of the project's own functions.

mod call;

use axum::Json;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::on;
use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_functions::metrics;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::{At, Input, Params};
use super::route::{Access, Method, Route};
use super::{ApiError, Dashboard, DashboardState};
use crate::project::deployments::Changes;
use crate::project::logs::LogRequest;

/// Maximum size in bytes of a function's source file whose text is returned. Larger files are listed without text.
const MAX_SHOWN_BYTES: usize = 256 * 1024;
/// Maximum size in bytes of a request that deploys changed files.
const DEPLOY_BYTES: usize = 8 << 20;
/// Maximum size in bytes of a request that sets a secret of the functions.
const SECRET_BODY_BYTES: usize = 64 * 1024;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/functions", "functions.list", "The functions", Access::VIEWER, |method| on(method, list)),
    Route::new(
        Method::Post,
        "/functions",
        "functions.create",
        "Deploy a new function from the template",
        Access::DEVELOPER,
        |method| on(method, create),
    ),
    Route::new(
        Method::Get,
        "/functions/secrets",
        "functions.secrets",
        "Names of the secrets of functions",
        Access::DEVELOPER,
        |method| on(method, secrets),
    ),
    Route::new(
        Method::Post,
        "/functions/secrets",
        "functions.set_secret",
        "Set a secret of functions",
        Access::OWNER,
        |method| on(method, set_secret),
    )
    .body(SECRET_BODY_BYTES),
    Route::new(
        Method::Delete,
        "/functions/secrets/{name}",
        "functions.unset_secret",
        "Remove a secret of functions",
        Access::OWNER,
        |method| on(method, unset_secret),
    ),
    Route::new(Method::Get, "/functions/{name}", "functions.show", "A function", Access::VIEWER, |method| {
        on(method, show)
    }),
    Route::new(
        Method::Get,
        "/functions/{name}/source",
        "functions.source",
        "The files of a function",
        Access::VIEWER,
        |method| on(method, source),
    ),
    Route::new(
        Method::Put,
        "/functions/{name}/source",
        "functions.deploy",
        "Deploy changed files as a new version",
        Access::DEVELOPER,
        |method| on(method, deploy).layer(DefaultBodyLimit::max(DEPLOY_BYTES)),
    )
    // The request has no timeout, because downloading imports may take minutes.
    .file(),
    Route::new(
        Method::Post,
        "/functions/{name}/call",
        "functions.call",
        "Call a function as a role or user",
        Access::DEVELOPER,
        |method| on(method, call::call).layer(DefaultBodyLimit::max(call::REQUEST_BYTES)),
    )
    // The request has no timeout, because a function may take longer than the timeout of other requests.
    .file(),
    Route::new(
        Method::Get,
        "/functions/{name}/logs",
        "functions.logs",
        "What a function has logged",
        Access::VIEWER,
        |method| on(method, logs),
    ),
    Route::new(
        Method::Post,
        "/functions/{name}/versions/{version}",
        "functions.serve_version",
        "Serve an earlier version",
        Access::DEVELOPER,
        |method| on(method, serve_version),
    ),
];

impl Dashboard {
    /// Returns the JSON description of the project's function `name`.
    fn function(&self, name: &str) -> Result<Value, ApiError> {
        let known = self.project.function(name)?;
        let engine = self.project.engine()?;
        let current = engine.versions().current_number(name);
        // If the function's worker has failed on this node, the version counts as failed, even if its first start succeeded.
        let boots = match engine.has_failed(name) {
            true => Some(false),
            false => current.and_then(|number| engine.versions().booted(name, number)),
        };
        Ok(json!({
            "name": name, "version": known.version, "verify_jwt": known.verify_jwt, "boots": boots,
            "source": if current.is_some() { "deployed" } else { "folder" }, "entrypoint": known.entrypoint_path,
            "updated_at": DateTime::from_timestamp_millis(known.updated_at), "figures": metrics::figures(name),
            "is_in_folder": engine.is_in_folder(name),
        }))
    }

    /// Returns the JSON descriptions of all functions: the project's own functions and the program's built-in functions.
    pub(super) fn functions(&self) -> Vec<Value> {
        let names = self.project.engine().map(cloch_functions::deno::Engine::names).unwrap_or_default();
        let own = names.iter().filter_map(|name| self.function(name).ok());
        own.chain(self.built_in(&names)).collect()
    }

    /// Returns the JSON descriptions of the built-in functions that config.toml declares. `own` contains the names of the project's own
    /// functions, which replace built-in functions of the same name.
    fn built_in(&self, own: &[String]) -> Vec<Value> {
        let Some(functions) = &self.project.functions else { return Vec::new() };
        let services = functions.services();
        let declared = services.settings.functions.iter();
        declared
            .filter(|(name, _)| functions.is_taken(name) && !own.contains(name))
            .map(|(name, declared)| {
                json!({ "name": name, "version": null, "verify_jwt": declared.verify_jwt, "source": "built-in",
                        "entrypoint": null, "updated_at": null, "figures": metrics::figures(name), "is_in_folder": false })
            })
            .collect()
    }
}

async fn list(State(state): State<DashboardState>) -> Json<Value> {
    Json(state.functions().into())
}

#[derive(Deserialize)]
struct NewFunction {
    name: String,
    verify_jwt: bool,
}

async fn create(
    State(state): State<DashboardState>,
    Input(asked): Input<NewFunction>,
) -> Result<Json<Value>, ApiError> {
    state.project.create_function(&asked.name, asked.verify_jwt).await?;
    state.function(&asked.name).map(Json)
}

async fn show(State(state): State<DashboardState>, At(name): At<String>) -> Result<Json<Value>, ApiError> {
    let mut function = state.function(&name)?;
    let engine = state.project.engine()?;
    let current = engine.versions().current_number(&name);
    let numbers = state.project.version_numbers(&name).await?;
    let versions = numbers.into_iter().rev().map(|number| {
        let upload = engine.versions().uploaded_as(&name, number);
        let created = upload.and_then(|upload| DateTime::from_timestamp_millis(upload.updated_at));
        json!({ "version": number, "created_at": created, "current": current == Some(number) })
    });
    if let Some(object) = function.as_object_mut() {
        object.insert("versions".to_owned(), versions.collect());
    }
    Ok(Json(function))
}

async fn source(State(state): State<DashboardState>, At(name): At<String>) -> Result<Json<Value>, ApiError> {
    let source = state.project.function_source(&name).await?;
    let files = source.files.into_iter().map(|(path, content)| {
        let bytes = content.len();
        let text = String::from_utf8(content).ok().filter(|_| bytes <= MAX_SHOWN_BYTES);
        json!({ "path": path, "bytes": bytes, "text": text })
    });
    Ok(Json(json!({
        "entrypoint": source.entrypoint, "files": files.collect::<Vec<_>>(), "env_files": source.env_files,
        "revision": source.revision, "serves_versions": state.project.engine()?.serves_versions(),
    })))
}

#[derive(Deserialize)]
struct DeployRequest {
    /// Revision of the source files on which the operator's changes are based. If the function has another revision now, the request is
    /// refused.
    revision: String,
    files: Changes,
}

async fn deploy(
    State(state): State<DashboardState>,
    At(name): At<String>,
    Input(asked): Input<DeployRequest>,
) -> Result<Json<Value>, ApiError> {
    let deployed = state.project.deploy_changes(&name, &asked.revision, asked.files).await?;
    let mut function = state.function(&name)?;
    if let Some(object) = function.as_object_mut() {
        object.insert("deployed".to_owned(), deployed.version.into());
    }
    Ok(Json(function))
}

#[derive(Deserialize)]
struct FunctionLogRequest {
    limit: Option<usize>,
    /// Id of a call. If it is set, the response contains only log lines of this call, and log lines that belong to no call.
    request: Option<String>,
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
}

async fn logs(
    State(state): State<DashboardState>,
    At(name): At<String>,
    Params(asked): Params<FunctionLogRequest>,
) -> Result<Json<Value>, ApiError> {
    let limit = asked.limit.unwrap_or(200);
    let request = asked.request.as_deref();
    let request = LogRequest { start: asked.start, end: asked.end, function: Some(&name), request, limit };
    let lines = state.project.function_lines(request).await?;
    let lines = lines.iter().map(|line| {
        json!({ "timestamp": line.timestamp, "level": line.level, "message": line.message,
                "execution_id": line.execution_id, "request": line.request })
    });
    Ok(Json(json!({ "lines": lines.collect::<Vec<_>>() })))
}

async fn serve_version(
    State(state): State<DashboardState>,
    At((name, version)): At<(String, u64)>,
) -> Result<Json<Value>, ApiError> {
    state.project.serve_version(&name, version).await?;
    state.function(&name).map(Json)
}

async fn secrets(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let secrets = state.project.secret_digests().await?;
    let listed = secrets.digests.iter().map(|secret| {
        let source = if secret.is_of_config { "config.toml" } else { "secrets" };
        // The digest is omitted, because an unsalted digest of a short secret is easy to reverse.
        json!({ "name": secret.name, "source": source })
    });
    Ok(Json(listed.collect()))
}

#[derive(Deserialize)]
struct NewSecret {
    name: String,
    value: Secret,
}

async fn set_secret(
    State(state): State<DashboardState>,
    Input(given): Input<NewSecret>,
) -> Result<StatusCode, ApiError> {
    state.project.set_secrets(vec![(given.name, given.value)]).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn unset_secret(State(state): State<DashboardState>, At(name): At<String>) -> Result<StatusCode, ApiError> {
    state.project.unset_secrets(&[name]).await?;
    Ok(StatusCode::NO_CONTENT)
}
