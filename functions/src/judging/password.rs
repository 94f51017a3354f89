//! The stored password: hashed, compared, replaced.

use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use cloch_sql::{Database, Secret};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use uuid::Uuid;

use crate::{FunctionsState, Refusal};

const CONFIGURED: &str = "JUDGING_PASSWORD";
/// One number for the lock around applying the configuration: nodes start together.
const LOCK: i64 = 0x6a75_6467_6573;

/// What GoTrue hashes passwords with: tens of milliseconds.
const MARK_COST: u32 = 10;

/// The version of the password in force, if this is it. Takes as long when there is none.
pub(super) async fn check(pool: &PgPool, password: Secret) -> Result<Option<Uuid>, Refusal> {
    let stored = sqlx::query!("select hash, version from club.judging_password").fetch_optional(pool).await?;
    let (hash, version) = match stored {
        Some(row) => (Some(row.hash), Some(row.version)),
        None => (None, None),
    };
    let matches = blocking(move || match hash {
        Some(hash) => is_hash_of(&hash, &password),
        None => hashed(&password).is_err(),
    })
    .await?;
    Ok(version.filter(|_| matches))
}

/// Replaces the password. Every token given for the last one ends.
///
/// # Errors
/// When the database does not answer.
pub async fn set_password(database: &Database, password: Secret, changed_by: Option<Uuid>) -> Result<(), Refusal> {
    let hash = blocking(move || hashed(&password)).await??;
    sqlx::query!(
        "insert into club.judging_password (hash, changed_by) values ($1, $2)
         on conflict (only_one) do update
           set hash = excluded.hash, version = gen_random_uuid(), changed_by = excluded.changed_by, changed_at = now()",
        hash,
        changed_by,
    )
    .execute(database.admin())
    .await?;
    Ok(())
}

/// Puts the configured password in force when the configuration has changed since the last start.
pub(crate) async fn apply_configured(state: &FunctionsState) -> Result<(), Refusal> {
    let services = &state.services;
    if !services.settings.functions.contains_key("validate-judging-password") {
        return Ok(());
    }
    let Some(password) = services.settings.secret(CONFIGURED).filter(|password| !password.is_empty()).cloned() else {
        tracing::warn!("no judging password is configured ({CONFIGURED}): judges stay out until an admin sets one");
        return Ok(());
    };
    let mut transaction = services.database.admin().begin().await?;
    sqlx::query!("select pg_advisory_xact_lock($1)", LOCK).execute(&mut *transaction).await?;
    let configured = sqlx::query_scalar!("select configured from club.judging_password")
        .fetch_optional(&mut *transaction)
        .await?
        .flatten();
    let new = blocking(move || match configured {
        Some(last) if is_mark_of(&last, &password) => Ok(None),
        _ => Ok::<_, Refusal>(Some((hashed(&password)?, mark(&password)?))),
    })
    .await??;
    if let Some((hash, mark)) = new {
        sqlx::query!(
            "insert into club.judging_password (hash, configured) values ($1, $2)
             on conflict (only_one) do update
               set hash = excluded.hash, configured = excluded.configured, version = gen_random_uuid(),
                   changed_by = null, changed_at = now()",
            hash,
            mark,
        )
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Argon2id with the crate's parameters, which are OWASP's recommendation.
fn hashed(password: &Secret) -> Result<String, Refusal> {
    let hash = Argon2::default().hash_password(password.expose().as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| Refusal::internal(&error))
}

/// Both libraries compare in constant time.
fn is_hash_of(hash: &str, password: &Secret) -> bool {
    match hash.starts_with("$argon2") {
        true => Argon2::default().verify_password(password.expose().as_bytes(), hash).is_ok(),
        false => bcrypt::verify(password.expose(), hash).unwrap_or(false),
    }
}

/// What tells at each start whether the configuration has changed: bcrypt, because argon2's 19 MB would be asked for every time.
/// It reads 72 bytes, hence the digest.
fn mark(password: &Secret) -> Result<String, Refusal> {
    bcrypt::hash(digest(password), MARK_COST).map_err(|error| Refusal::internal(&error))
}

fn is_mark_of(mark: &str, password: &Secret) -> bool {
    bcrypt::verify(digest(password), mark).unwrap_or(false)
}

fn digest(password: &Secret) -> String {
    BASE64.encode(Sha256::digest(password.expose()))
}

/// Hashing takes tens of milliseconds of a core: not on the threads that serve everybody.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::internal(&error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn both_kinds_of_hash_are_compared() {
        let right = Secret::new("The Clyde at dawn");
        for hash in [hashed(&right).unwrap(), bcrypt::hash("The Clyde at dawn", 4).unwrap()] {
            assert!(!is_hash_of(&hash, &Secret::new("the clyde at dawn")));
            assert!(!is_hash_of(&hash, &Secret::new("")));
            assert!(is_hash_of(&hash, &right));
        }
        let mark = mark(&right).unwrap();
        assert!(!is_mark_of(&mark, &Secret::new("the clyde at dawn")) && !is_mark_of("", &right));
        assert!(is_mark_of(&mark, &right));
        assert!(!is_hash_of("", &right));
        assert!(!is_hash_of("The Clyde at dawn", &right));
    }
}
