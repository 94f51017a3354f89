//! `cloch keys new`, `list` and `revoke`: the opaque API keys of the project. A running server applies changes within seconds.

use clap::ValueEnum;
use cloch_sql::caller::KeyKind;
use sqlx::PgPool;

use super::db::{require_database, with_logins};
use super::print;
use crate::config::{Config, Secrets};
use crate::error::CommandError;
use crate::project::api_keys::{self, ApiKeyError, CreatedKey, ListedKey, OwnKeys};

/// Kind of a new API key.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Kind {
    /// For web pages and apps: the key of visitors
    Publishable,
    /// For servers only: the key bypasses row-level security
    Secret,
}

/// Creates an API key and prints it; the database keeps only a digest.
pub(super) async fn create(config: &Config, kind: Kind, name: &str) -> Result<(), CommandError> {
    require_database(config)?;
    let kind = match kind {
        Kind::Publishable => KeyKind::Publishable,
        Kind::Secret => KeyKind::Secret,
    };
    let CreatedKey { id, key } = on_database(config, async |pool| {
        api_keys::create(pool, kind, name).await.map_err(|error| match error {
            ApiKeyError::Database(error) => error.into(),
            ApiKeyError::TooMany => format!("{error} (cloch keys list)").into(),
            ApiKeyError::Name => error.to_string().into(),
        })
    })
    .await?;
    print::line(format!(
        "{}\nIts ID is {id}. The key is not shown again; servers accept it within 2 seconds",
        key.expose()
    ))?;
    Ok(())
}

/// Prints the project's own keys, the keys of the database, and the signing keys.
pub(super) async fn list(config: &Config) -> Result<(), CommandError> {
    require_database(config)?;
    let secrets = config.secrets()?;
    let keys = on_database(config, async |pool| Ok(api_keys::list(pool, &own_keys(&secrets)).await?)).await?;
    for ListedKey { id, kind, name, created_at, is_revoked } in keys {
        let state = if is_revoked { "revoked" } else { "valid" };
        let about = match created_at {
            Some(created) => format!("{}  {name}", created.format("%Y-%m-%d")),
            None => "the project's own key".to_owned(),
        };
        print::line(format!("{id:<11}  {kind:<11}  {state:<7}  {about}"))?;
    }
    for key in &secrets.signing_keys {
        let state = key.state.map_or("", cloch_sql::caller::keys::KeyState::as_str);
        print::line(format!("{}  signs user tokens: {state}", key.kid))?;
    }
    Ok(())
}

/// Revokes an API key by its ID. Returns whether the project has a key with this ID.
pub(super) async fn revoke(config: &Config, id: &str) -> Result<bool, CommandError> {
    require_database(config)?;
    let secrets = config.secrets()?;
    let own = own_keys(&secrets);
    if !on_database(config, async |pool| Ok(api_keys::revoke(pool, &own, id).await?)).await? {
        return Ok(false);
    }
    print::line(format!("The key {id} is revoked; servers refuse it within 2 seconds"))?;
    if own.iter().any(|(kind, _)| kind.as_str() == id) {
        print::line(format!(
            "`cloch status` goes on printing it: remove the line {id}_key from {} and restart the server to get a new one",
            config.secrets_file().display()
        ))?;
    }
    Ok(true)
}

fn own_keys(secrets: &Secrets) -> OwnKeys<'_> {
    [(KeyKind::Publishable, &secrets.publishable_key), (KeyKind::Secret, &secrets.secret_key)]
}

/// Runs `work` with a pool of connections to the project's database. The connections use the login of the server.
async fn on_database<T>(
    config: &Config,
    work: impl AsyncFnOnce(&PgPool) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    with_logins(config, async |logins| {
        let pool = PgPool::connect_with(logins.operators.sqlx_options()).await?;
        let done = work(&pool).await;
        pool.close().await;
        done
    })
    .await
}
