//! `/settings/editable`, `/settings/preview`, `/settings/apply`: endpoints with which owners change settings.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::extract::State;
use axum::routing::on;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::{self, Change, Draft, Texts};
use super::list::{self, File, Files, Listed};
use super::{edit, effect, locked, restart};
use crate::config::{ClochToml, Config, ConfigToml, ENV_LOCAL, LiveKeys};
use crate::dashboard::audit::Note;
use crate::dashboard::extract::Input;
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::state::Dashboard;
use crate::dashboard::{ApiError, DashboardState};
use crate::project::{ProjectError, files};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(
        Method::Get,
        "/settings/editable",
        "settings.editable",
        "Settings that owners can change, with their values",
        Access::OWNER,
        |method| on(method, show),
    ),
    Route::new(
        Method::Post,
        "/settings/preview",
        "settings.preview",
        "Check a change of settings and show it as a diff",
        Access::OWNER,
        |method| on(method, preview),
    )
    .harmless(),
    Route::new(
        Method::Post,
        "/settings/apply",
        "settings.apply",
        "Write a change of settings to the project's files and apply it",
        Access::OWNER,
        |method| on(method, apply),
    ),
];

/// Runs `run`, which reads or writes files, on a thread for blocking operations.
pub(super) async fn blocking<T: Send + 'static>(
    state: &DashboardState,
    run: impl FnOnce(&Dashboard) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let state = Arc::clone(state);
    let done = tokio::task::spawn_blocking(move || run(&state)).await;
    done.map_err(|error| ApiError::internal("reading or writing the project's settings failed", error))?
}

async fn show(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    blocking(&state, |state| Ok(Json(shown(&state.live_settings.config())?))).await
}

fn shown(config: &Config) -> Result<Value, ApiError> {
    let (next, problem) = match change::next(config) {
        Ok(next) => (Some(next), None),
        Err(problem) => (None, Some(problem)),
    };
    let next = next.as_ref().unwrap_or(config);
    let mut texts = BTreeMap::new();
    for file in File::ALL {
        texts.insert(file, files::read(&config.project.join(file.name()))?.unwrap_or_default());
    }
    let (config_toml, cloch_toml) = (ConfigToml::default(), ClochToml::default());
    let defaults = Files { config: &config_toml, cloch: &cloch_toml };
    let live = LiveKeys::of(config, next);
    let mut waiting = Vec::new();
    let groups: Vec<Value> = list::all(config)
        .into_iter()
        .map(|(group, settings)| {
            let settings: Vec<Value> = settings
                .iter()
                .map(|listed| {
                    let text = texts.get(&listed.spec.file).map(String::as_str).unwrap_or_default();
                    let is_waiting = !change::is_in_effect(listed, config, next);
                    if is_waiting {
                        waiting.push(listed.key());
                    }
                    let mut shown = setting(config, listed, text, Files::of(next), defaults);
                    if let Some(shown) = shown.as_object_mut() {
                        shown.insert("waits_for_restart".to_owned(), is_waiting.into());
                        let is_live = live.contains(listed.spec.file.into(), &listed.key());
                        shown.insert("is_live".to_owned(), is_live.into());
                    }
                    shown
                })
                .collect();
            json!({ "name": group.name, "title": group.title, "settings": settings })
        })
        .collect();
    let auth_url = config.file.auth.external_url.clone().unwrap_or_else(|| config.url("/auth/v1"));
    Ok(json!({
        "groups": groups,
        "callback_url": format!("{}/callback", auth_url.trim_end_matches('/')),
        "problem": problem,
        "writable": !config.is_inspection && files::is_writable(&config.project),
        "restart": { "settings": waiting, "command": restart::command(config) },
    }))
}

fn setting(config: &Config, listed: &Listed, text: &str, next: Files<'_>, defaults: Files<'_>) -> Value {
    let spec = listed.spec;
    let is_set = listed.keys().iter().any(|key| edit::get(text, key).is_some());
    json!({
        "key": listed.key(), "file": spec.file, "label": listed.label(), "hint": spec.hint, "kind": spec.kind,
        "name": listed.name, "value": listed.read(next), "default": listed.read(defaults), "is_set": is_set,
        "has_secret": listed.is_secret() && listed.has_secret(next),
        "locked": locked::reason(config, listed, text), "confirm": spec.lock_out,
    })
}

#[derive(Deserialize)]
struct Changes {
    changes: Vec<Change>,
}

async fn preview(
    State(state): State<DashboardState>,
    Input(Changes { changes }): Input<Changes>,
) -> Result<Json<Value>, ApiError> {
    blocking(&state, move |state| Ok(Json(described(state, &Draft::new(state, &changes)?)))).await
}

fn described(state: &Dashboard, draft: &Draft) -> Value {
    let files = draft.diffs().into_iter().map(|(file, diff)| {
        json!({ "file": file, "diff": diff, "version": version(state, draft, file), "paste": draft.paste.get(&file) })
    });
    let confirm = draft.confirm.iter().map(|(key, consequence)| json!({ "key": key, "consequence": consequence }));
    json!({
        "files": files.collect::<Vec<_>>(), "changes": draft.notes, "warnings": draft.warnings,
        "variables": draft.variables, "env_file": draft.env_local.as_ref().map(|_| ENV_LOCAL),
        "env_version": draft.env_local.as_ref().map(|texts| state.keys.file_version(ENV_LOCAL, &texts.old)),
        "confirm": confirm.collect::<Vec<_>>(), "writable": files::is_writable(&state.config.project),
        "restart": restart::command(&state.config),
    })
}

/// Returns the version (a keyed digest) of the file from which the diff in the preview was made. `None` if the change does not affect the
/// file.
fn version(state: &Dashboard, draft: &Draft, file: File) -> Option<String> {
    draft.files.get(&file).map(|texts| state.keys.file_version(file.name(), &texts.old))
}

#[derive(Deserialize)]
struct Confirmed {
    changes: Vec<Change>,
    /// Versions of the files from which the preview was made. If a file has changed since the preview, the request is refused.
    versions: HashSet<String>,
    /// Keys of settings that the operator has typed to confirm the consequences of the change.
    #[serde(default)]
    confirmed: HashSet<String>,
}

async fn apply(
    State(state): State<DashboardState>,
    Input(given): Input<Confirmed>,
) -> Result<(Extension<Note>, Json<Value>), ApiError> {
    let _turn = state.settings_files.lock().await;
    let saved = blocking(&state, move |state| {
        let draft = Draft::new(state, &given.changes)?;
        let mut versions: Vec<String> = File::ALL.into_iter().filter_map(|file| version(state, &draft, file)).collect();
        versions.extend(draft.env_local.as_ref().map(|texts| state.keys.file_version(ENV_LOCAL, &texts.old)));
        if !versions.iter().all(|version| given.versions.contains(version)) {
            return Err(
                ApiError::conflict("The file has changed since the diff was made").with_hint("Review the change again")
            );
        }
        if let Some((key, consequence)) = draft.confirm.iter().find(|(key, _)| !given.confirmed.contains(key)) {
            let message = format!("The change of {key} has to be confirmed");
            return Err(ApiError::conflict(message).with_code("confirm").with_hint(*consequence));
        }
        write(&state.config, &draft)?;
        Ok(effect::apply(&state.live_settings, draft))
    })
    .await?;
    let note = json!({ "changes": saved.changes, "problem": saved.problem });
    let body =
        json!({ "changes": saved.changes, "problem": saved.problem, "restart": restart::command(&state.config) });
    Ok((Extension(Note(note)), Json(body)))
}

/// Writes the files of a change. If one file cannot be written, restores the old texts of the files that are already written.
fn write(config: &Config, draft: &Draft) -> Result<(), ApiError> {
    let env = draft.env_local.iter().map(|texts| (ENV_LOCAL, texts, 0o600));
    let settings = draft.files.iter().map(|(file, texts)| (file.name(), texts, 0o644));
    let mut written: Vec<(&str, &Texts, u32)> = Vec::new();
    for (name, texts, mode) in env.chain(settings) {
        if let Err(error) = replace(config, name, &texts.new, mode) {
            for (name, texts, mode) in written {
                if let Err(unrestored) = replace(config, name, &texts.old, mode) {
                    tracing::error!(
                        error = %unrestored,
                        file = name,
                        "dashboard: saving the settings failed, and restoring a file failed too: this file keeps the new settings, which apply \
                         at the next start"
                    );
                }
            }
            return Err(not_written(error));
        }
        written.push((name, texts, mode));
    }
    Ok(())
}

fn not_written(error: ProjectError) -> ApiError {
    match error {
        ProjectError::NotWritable => ApiError::from(error)
            .with_hint("The project's folder is read-only here: change the files in your repository"),
        other => other.into(),
    }
}

/// Replaces the text of a file. If the file has Windows line breaks, the new text gets Windows line breaks too.
fn replace(config: &Config, name: &str, text: &str, mode: u32) -> Result<(), ProjectError> {
    let has_crlf = files::read(&config.project.join(name))?.is_some_and(|old| old.contains("\r\n"));
    let text = if has_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    files::replace(&config.project, name, &text, mode)?;
    Ok(())
}
