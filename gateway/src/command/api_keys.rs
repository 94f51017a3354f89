//! `cloch keys new`, `list` and `revoke`: the opaque API keys of the project. A running server applies changes within seconds.

use clap::ValueEnum;
use cloch_sql::caller::{IssuedKeys, KeyKind};
use sqlx::PgPool;

use super::db::{require_database, with_logins};
use super::print;
use crate::config::{Config, Secrets, new_api_key};
use crate::error::CommandError;

/// Maximum number of keys that are not revoked.
const MAX_KEYS: i64 = 100;
/// Names of the project's own keys in `cloch keys list` and `revoke`. These keys are stored in secrets.toml, an environment variable or
/// config.toml, not in the database.
const OWN: [(&str, KeyKind); 2] = [("publishable", KeyKind::Publishable), ("secret", KeyKind::Secret)];

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
    if name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err("the name of a key has at most 100 characters on one line".into());
    }
    let key = new_api_key(kind);
    let digest = IssuedKeys::digest(key.expose());
    let id = hex::encode(digest.get(..4).unwrap_or_default());
    on_database(config, async |pool| {
        let inserted = sqlx::query(
            "insert into cloch.api_keys (id, name, kind, hash)
             select $1, $2, $3, $4 where (select count(*) from cloch.api_keys where revoked_at is null) < $5",
        )
        .bind(&id)
        .bind(name)
        .bind(kind.as_str())
        .bind(digest.as_slice())
        .bind(MAX_KEYS)
        .execute(pool)
        .await?;
        match inserted.rows_affected() {
            0 => Err(format!("the project has {MAX_KEYS} API keys, revoke one first (cloch keys list)").into()),
            _ => Ok(()),
        }
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
    let rows: Vec<(String, String, String, Vec<u8>, String, bool)> = on_database(config, async |pool| {
        Ok(sqlx::query_as(
            "select id, kind, name, hash, to_char(created_at at time zone 'utc', 'YYYY-MM-DD'), revoked_at is not null
               from cloch.api_keys order by created_at, id",
        )
        .fetch_all(pool)
        .await?)
    })
    .await?;
    let state = |is_revoked| if is_revoked { "revoked" } else { "valid" };
    for (id, kind) in OWN {
        let digest = IssuedKeys::digest(own_key(&secrets, kind));
        let is_revoked = rows.iter().any(|row| row.3 == digest && row.5);
        print::line(format!("{id:<11}  {:<11}  {:<7}  the project's own key", kind.as_str(), state(is_revoked)))?;
    }
    for (id, kind, name, hash, created, is_revoked) in &rows {
        if !OWN.iter().any(|(_, own)| IssuedKeys::digest(own_key(&secrets, *own)).as_slice() == hash) {
            print::line(format!("{id:<11}  {kind:<11}  {:<7}  {created}  {name}", state(*is_revoked)))?;
        }
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
    let own = OWN.iter().find(|(name, _)| *name == id).map(|(_, kind)| (*kind, own_key(&secrets, *kind).to_owned()));
    let changed = on_database(config, async |pool| {
        let Some((kind, key)) = own else {
            let update = "update cloch.api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1";
            return Ok(sqlx::query(update).bind(id).execute(pool).await?.rows_affected());
        };
        let digest = IssuedKeys::digest(&key);
        let insert =
            "insert into cloch.api_keys (id, name, kind, hash, revoked_at) values ($1, 'own key', $2, $3, now())
                      on conflict (hash) do update set revoked_at = coalesce(cloch.api_keys.revoked_at, now())";
        let insert = sqlx::query(insert).bind(hex::encode(digest.get(..4).unwrap_or_default())).bind(kind.as_str());
        Ok(insert.bind(digest.as_slice()).execute(pool).await?.rows_affected())
    })
    .await?;
    if changed == 0 {
        return Ok(false);
    }
    print::line(format!("The key {id} is revoked; servers refuse it within 2 seconds"))?;
    if OWN.iter().any(|(name, _)| *name == id) {
        print::line(format!(
            "`cloch status` goes on printing it: remove the line {id}_key from {} and restart the server to get a new one",
            config.secrets_file().display()
        ))?;
    }
    Ok(true)
}

fn own_key(secrets: &Secrets, kind: KeyKind) -> &str {
    match kind {
        KeyKind::Publishable => &secrets.publishable_key,
        KeyKind::Secret => &secrets.secret_key,
    }
}

/// Runs `work` with a pool of connections to the project's database. The connections use the login of the server.
async fn on_database<T>(
    config: &Config,
    work: impl AsyncFnOnce(&PgPool) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    with_logins(config, async |logins| {
        let pool = PgPool::connect_with(logins.admin.sqlx_options()).await?;
        let done = work(&pool).await;
        pool.close().await;
        done
    })
    .await
}
