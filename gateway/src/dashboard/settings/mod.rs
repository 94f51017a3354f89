//! `/settings`: the settings of the project's files with their values and the source of each value, including default values. The endpoints
//! in [`editable`] change settings.

mod change;
mod defaults;
mod diff;
mod edit;
mod editable;
mod effect;
mod entries;
mod env_local;
mod files;
mod ignored;
mod list;
mod locked;
mod mail;
mod mail_draft;
mod nodes;
mod redact;
mod restart;
mod shown;
mod template_file;
mod value;
mod write;

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde::Serialize;
use serde_json::{Value, json};

use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};
use crate::config::Config;

pub(super) use editable::ROUTES as EDIT_ROUTES;
pub(super) use ignored::change as change_ignored;
pub(super) use mail::ROUTES as MAIL_ROUTES;
pub(super) use mail_draft::ROUTES as MAIL_DRAFT_ROUTES;
pub(super) use nodes::ROUTES as NODE_ROUTES;

pub(super) const ROUTES: &[Route] = &[Route::new(
    Method::Get,
    "/settings",
    "settings.show",
    "The configuration, and where each value comes from",
    Access::VIEWER,
    |method| on(method, show),
)];

#[derive(Clone, Debug, Serialize)]
struct Setting {
    /// Dotted key of the setting.
    key: String,
    /// Value of the setting that is in effect; null if the value is hidden.
    value: Value,
    source: Source,
    /// Whether the value is hidden because it may be a secret.
    secret: bool,
}

/// Source of a setting's value.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
enum Source {
    #[serde(rename = "config.toml")]
    ConfigToml,
    #[serde(rename = "cloch.toml")]
    ClochToml,
    #[serde(rename = "default")]
    Default,
    /// An environment variable, or a flag of the command line.
    #[serde(rename = "variable or flag")]
    VariableOrFlag,
}

async fn show(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let settings = tokio::task::spawn_blocking(move || settings(&state.live_settings.config())).await;
    let settings = settings.map_err(|error| ApiError::internal("settings cannot be read", error))?;
    let mut groups: BTreeMap<String, Vec<Setting>> = BTreeMap::new();
    for setting in settings {
        let group = setting.key.split('.').next().unwrap_or_default().to_owned();
        groups.entry(group).or_default().push(setting);
    }
    let groups = groups.into_iter().map(|(name, settings)| json!({ "name": name, "settings": settings }));
    Ok(Json(json!({ "groups": groups.collect::<Vec<_>>() })))
}

/// Returns the settings of config.toml and cloch.toml. Values from flags and environment variables replace those of the files, and missing
/// keys have default values.
fn settings(config: &Config) -> Vec<Setting> {
    let mut settings = files::read(&config.project.join("config.toml"), Source::ConfigToml);
    settings.extend(files::read(&config.project.join("cloch.toml"), Source::ClochToml));
    for (key, value, source) in defaults::in_force(config) {
        match settings.iter_mut().find(|known| known.key == key) {
            Some(known) if source == Source::VariableOrFlag && known.value != value => {
                known.value = value;
                known.source = source;
            }
            Some(_) => {}
            None => settings.push(Setting { key: key.to_owned(), value, source, secret: false }),
        }
    }
    settings.sort_by(|a, b| a.key.cmp(&b.key));
    settings
}
