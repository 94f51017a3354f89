//! `/sql/migrations`: lists the project's migrations, and adds a migration from SQL of the operator.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::dashboard::extract::Input;
use crate::dashboard::{ApiError, DashboardState};
use crate::project::migrations::NewMigration;

/// Maximum length of a migration's name in characters.
const MAX_NAME_CHARS: usize = 80;

pub(super) async fn list(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let applied = state.project.applied_migrations().await?;
    let files = state.project.migration_files()?;
    let mut migrations: Vec<(&str, Value)> = files
        .iter()
        .map(|file| {
            let (version, name) = (file.version.as_str(), &file.name);
            let is_applied = applied.iter().any(|known| known.version == version);
            (version, json!({ "version": version, "name": name, "applied": is_applied, "file": true }))
        })
        .collect();
    for migration in &applied {
        let (version, name) = (migration.version.as_str(), &migration.name);
        if !files.iter().any(|file| file.version == version) {
            migrations.push((version, json!({ "version": version, "name": name, "applied": true, "file": false })));
        }
    }
    migrations.sort_by(|a, b| b.0.cmp(a.0));
    let migrations: Vec<Value> = migrations.into_iter().map(|(_, shown)| shown).collect();
    let is_writable = state.project.can_write_migrations();
    Ok(Json(json!({ "migrations": migrations, "writable": is_writable })))
}

#[derive(Deserialize)]
pub(super) struct MigrateRequest {
    name: String,
    sql: String,
    /// Whether the SQL is executed (default: `true`). If `false`, the SQL was executed earlier and is only recorded as a migration.
    apply: Option<bool>,
    /// Whether the SQL is written to a migration file (default: `true`). If `false`, the migration is only recorded in the database, and
    /// the operator adds the file to the repository.
    keep_file: Option<bool>,
}

pub(super) async fn add(
    State(state): State<DashboardState>,
    Input(asked): Input<MigrateRequest>,
) -> Result<Json<Value>, ApiError> {
    let name = file_name(&asked.name)?;
    let (apply, keep_file) = (asked.apply.unwrap_or(true), asked.keep_file.unwrap_or(true));
    let added = state.project.add_migration(NewMigration { name: &name, sql: &asked.sql, apply, keep_file }).await?;
    Ok(Json(json!({ "version": added.version, "name": name, "file": added.file })))
}

/// Converts a title to a file name for a migration, in the Supabase CLI's format.
fn file_name(title: &str) -> Result<String, ApiError> {
    let words: Vec<String> = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let name: String = words.join("_").chars().take(MAX_NAME_CHARS).collect();
    match name.is_empty() {
        true => Err(ApiError::bad_request("A migration needs a name of letters and digits")),
        false => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_a_file_name() {
        assert_eq!(file_name("Add table \"; drop / ../x").unwrap(), "add_table_drop_x");
        assert!(file_name("../..").is_err());
    }
}
