//! `/sql/migrations`: schema changes as migration files, recorded in the same table as by the Supabase CLI.

use axum::Json;
use axum::extract::State;
use chrono::{NaiveDateTime, TimeDelta, Utc};
use cloch_sql::migrations::{is_transaction_control, read_folder, split};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::files::write;
use crate::dashboard::database::{As, Mode};
use crate::dashboard::extract::Input;
use crate::dashboard::{ApiError, Dashboard, DashboardState};

/// Date format of a migration's version.
const VERSION: &str = "%Y%m%d%H%M%S";
/// Maximum length of a migration's name in characters.
const MAX_NAME_CHARS: usize = 80;

pub(super) async fn list(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let applied = applied(&state).await?;
    let files = files(&state)?;
    let mut migrations: Vec<(String, Value)> = files
        .iter()
        .map(|(version, name)| {
            let is_applied = applied.iter().any(|(known, _)| known == version);
            (version.clone(), json!({ "version": version, "name": name, "applied": is_applied, "file": true }))
        })
        .collect();
    for (version, name) in applied {
        if !files.iter().any(|(known, _)| *known == version) {
            migrations
                .push((version.clone(), json!({ "version": version, "name": name, "applied": true, "file": false })));
        }
    }
    migrations.sort_by(|a, b| b.0.cmp(&a.0));
    let migrations: Vec<Value> = migrations.into_iter().map(|(_, shown)| shown).collect();
    Ok(Json(json!({ "migrations": migrations })))
}

async fn applied(state: &Dashboard) -> Result<Vec<(String, String)>, ApiError> {
    let text = "select version::text, coalesce(name, '')::text from supabase_migrations.schema_migrations";
    Ok(sqlx::query_as(text).fetch_all(state.database.admin()).await?)
}

fn files(state: &Dashboard) -> Result<Vec<(String, String)>, ApiError> {
    let read = read_folder(&state.config.project.join("migrations"));
    let read = read.map_err(|error| ApiError::internal("the migrations cannot be read", error))?;
    Ok(read.into_iter().map(|migration| (migration.version, migration.name)).collect())
}

#[derive(Deserialize)]
pub(super) struct MigrateRequest {
    name: String,
    sql: String,
    /// Whether the SQL is executed. If `false`, it was executed before and is only recorded.
    apply: Option<bool>,
}

/// Applies and records a migration and writes its file, all or nothing. The file is written before the commit, and deleted if the commit
/// fails.
pub(super) async fn add(
    State(state): State<DashboardState>,
    Input(asked): Input<MigrateRequest>,
) -> Result<Json<Value>, ApiError> {
    let name = file_name(&asked.name)?;
    let ranges = split::statements(&asked.sql).map_err(|wrong| ApiError::bad_request(wrong.to_string()))?;
    let statements: Vec<&str> = ranges.iter().filter_map(|range| asked.sql.get(range.clone())).collect();
    if statements.is_empty() {
        return Err(ApiError::bad_request("There is no statement to keep"));
    }
    let apply = asked.apply.unwrap_or(true);
    let own = if apply { within_transaction(&statements)? } else { &statements };
    let mut transaction = state.begin(&As::Role("postgres".to_owned()), Mode::Write).await?;
    // The lock makes versions increase if two operators add migrations at once.
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('cloch.dashboard.migrations', 0))")
        .execute(&mut *transaction)
        .await?;
    let newest = applied(&state).await?.into_iter().chain(files(&state)?).map(|(version, _)| version).max();
    let version = next_version(Utc::now().naive_utc(), newest.as_deref());
    if apply {
        for statement in own {
            // The operator's SQL runs as the project's owner.
            sqlx::raw_sql(AssertSqlSafe((*statement).to_owned()))
                .execute(&mut *transaction)
                .await
                .map_err(ApiError::database)?;
        }
    }
    sqlx::query("insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)")
        .bind(&version)
        .bind(&name)
        .bind(&statements)
        .execute(&mut *transaction)
        .await
        .map_err(ApiError::database)?;
    let file = format!("{version}_{name}.sql");
    let text = format!("{}\n", asked.sql.trim_end());
    let path = write(&state.config.project.join("migrations"), &file, &text)?;
    if let Err(error) = transaction.commit().await {
        drop(std::fs::remove_file(path));
        return Err(ApiError::database(error));
    }
    Ok(Json(json!({ "version": version, "file": format!("migrations/{file}") })))
}

/// Returns the statements without a `begin` and `commit` around all of them. Refuses other transaction control, which would end the
/// transaction in which the migration is applied and recorded.
fn within_transaction<'a>(statements: &'a [&'a str]) -> Result<&'a [&'a str], ApiError> {
    let inner = match statements {
        [begin, inner @ .., commit] if is_plain(begin, "begin") && is_plain(commit, "commit") => inner,
        all => all,
    };
    match inner.iter().find(|statement| is_transaction_control(statement)) {
        None => Ok(inner),
        Some(statement) => {
            let message = format!(
                "\"{statement}\" begins or ends a transaction, and the dashboard applies a migration in one. Write the file into the folder \
                 migrations instead: the next start applies it as written"
            );
            Err(ApiError::bad_request(message))
        }
    }
}

fn is_plain(statement: &str, word: &str) -> bool {
    statement.eq_ignore_ascii_case(word)
}

/// Converts a title into a migration's name in the Supabase CLI's format.
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

/// Returns the current time as a version, or the newest version plus one second if that is later. The next start would refuse a version
/// older than the newest.
fn next_version(now: NaiveDateTime, newest: Option<&str>) -> String {
    let now_text = now.format(VERSION).to_string();
    match newest {
        Some(newest) if newest >= now_text.as_str() => {
            let newest_time = NaiveDateTime::parse_from_str(newest, VERSION).ok();
            let after = newest_time.and_then(|time| time.checked_add_signed(TimeDelta::seconds(1)));
            after.map_or_else(|| format!("{newest}1"), |time| time.format(VERSION).to_string())
        }
        _ => now_text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_newer_than_all_others() {
        let now = NaiveDateTime::parse_from_str("20260101120000", VERSION).unwrap();
        for (newest, version) in [
            (None, "20260101120000"),
            (Some("20250101120000"), "20260101120000"),
            (Some("20260101120000"), "20260101120001"),
            (Some("20261231235959"), "20270101000000"),
            (Some("9"), "91"),
        ] {
            assert_eq!(next_version(now, newest), version, "{newest:?}");
        }
    }

    #[test]
    fn a_transaction_around_all_is_the_dashboards_own() {
        assert_eq!(within_transaction(&["BEGIN", "select 1", "Commit"]).unwrap(), ["select 1"]);
        assert_eq!(within_transaction(&["select 1", "rollback to a"]).unwrap().len(), 2);
        for statements in [
            ["begin", "commit", "select 1"].as_slice(),
            &["select 1", "commit"],
            &["begin isolation level serializable", "select 1", "commit"],
            &["begin", "commit", "begin", "commit"],
        ] {
            assert!(within_transaction(statements).is_err(), "{statements:?}");
        }
    }

    #[test]
    fn a_title_becomes_a_file_name() {
        assert_eq!(file_name("Add table \"; drop / ../x").unwrap(), "add_table_drop_x");
        assert!(file_name("../..").is_err());
    }
}
