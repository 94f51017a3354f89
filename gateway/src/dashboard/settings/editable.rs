//! `/settings/editable`, `/settings/preview`, `/settings/apply`: endpoints with which owners change settings.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::extract::State;
use axum::routing::on;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::change::{self, Change, Draft, FileDiff};
use super::list::{self, File, Files, Listed};
use super::{edit, locked, restart, template_file};
use crate::config::{ClochToml, Config, ConfigToml, ENV_LOCAL, LiveKeys};
use crate::dashboard::audit::Note;
use crate::dashboard::extract::Input;
use crate::dashboard::node_settings::SettingsFiles;
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::state::Dashboard;
use crate::dashboard::{ApiError, DashboardState};
use crate::project::files;

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
                        if listed.is_template() {
                            shown.extend(template(config, listed, text));
                        }
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
        "key": listed.key(), "file": spec.file, "label": listed.label(), "hint": listed.hint(), "kind": spec.kind,
        "name": listed.name, "value": listed.read(next), "default": listed.read(defaults), "is_set": is_set,
        "has_secret": listed.is_secret() && listed.has_secret(next),
        "locked": locked::reason(config, listed, text), "confirm": spec.lock_out,
    })
}

/// Returns the fields of a mail template's text, which is in a file of its own.
fn template(config: &Config, listed: &Listed, config_toml: &str) -> Map<String, Value> {
    let text = template_file::text(config, listed, config_toml).ok().flatten();
    let name = template_file::name(config, listed, config_toml).filter(|_| text.is_some());
    Map::from_iter([
        ("is_set".to_owned(), text.is_some().into()),
        ("value".to_owned(), text.into()),
        ("path".to_owned(), name.into()),
    ])
}

#[derive(Deserialize)]
struct Changes {
    changes: Vec<Change>,
}

async fn preview(
    State(state): State<DashboardState>,
    Input(Changes { changes }): Input<Changes>,
) -> Result<Json<Value>, ApiError> {
    blocking(&state, move |state| Ok(Json(described(state, &Draft::new(state.nodes.files(), &changes)?)))).await
}

fn described(state: &Dashboard, draft: &Draft) -> Value {
    let files = draft.diffs().into_iter().map(|FileDiff { name, old, diff, paste }| {
        json!({ "file": name, "diff": diff, "version": state.keys.file_version(name, old), "paste": paste })
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
    let nodes = Arc::clone(&state.nodes);
    let checked = Arc::clone(&state);
    let draft = move |settings: &SettingsFiles| confirmed(&checked, settings, &given);
    // The change is saved in a separate task, which continues if the client disconnects.
    let saved = tokio::spawn(async move { nodes.save(draft).await }).await;
    let saved = saved.map_err(|error| ApiError::internal("saving the project's settings failed", error))??;
    let note = json!({ "changes": saved.changes, "problem": saved.problem });
    let body =
        json!({ "changes": saved.changes, "problem": saved.problem, "restart": restart::command(&state.config) });
    Ok((Extension(Note(note)), Json(body)))
}

/// Returns the change if its preview was made from the present files, and if its consequences are confirmed.
fn confirmed(state: &Dashboard, settings: &SettingsFiles, given: &Confirmed) -> Result<(Draft, Vec<Change>), ApiError> {
    let draft = Draft::new(settings, &given.changes)?;
    // The version of a file is a keyed digest of the text from which the diff in the preview was made.
    let mut versions: Vec<String> =
        draft.diffs().iter().map(|file| state.keys.file_version(file.name, file.old)).collect();
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
    Ok((draft, given.changes.clone()))
}
