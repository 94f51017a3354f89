//! The stored password: hashed, compared, replaced.

use std::sync::{Arc, Mutex, PoisonError};

use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use cloch_sql::{Database, Secret};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use uuid::Uuid;

use super::Door;
use crate::{FunctionsState, Refusal};

const CONFIGURED: &str = "JUDGING_PASSWORD";
/// One number for the lock around applying the configuration: nodes start together.
const LOCK: i64 = 0x6a75_6467_6573;

/// What GoTrue hashes passwords with: tens of milliseconds.
const MARK_COST: u32 = 10;

/// The right password as this node last saw it. A guess is compared with it in a microsecond instead of the tens of milliseconds and
/// 19 MB of a hash, so that many wrong ones do not hold up a right one.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Arc<Mutex<Option<Seen>>>);

#[derive(Debug)]
struct Seen {
    version: Uuid,
    /// Random, and never leaves this memory. Digests with it can be compared in any way: how far two agree tells nothing.
    salt: Uuid,
    digest: [u8; 32],
}

impl Known {
    /// Whether this is the password of this version; none when this node has not seen that password.
    fn compare(&self, version: Uuid, password: &Secret) -> Option<bool> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.as_ref().filter(|seen| seen.version == version)?;
        Some(salted(seen.salt, password) == seen.digest)
    }

    fn remember(&self, version: Uuid, password: &Secret) {
        let salt = Uuid::new_v4();
        let digest = salted(salt, password);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Seen { version, salt, digest });
    }
}

fn salted(salt: Uuid, password: &Secret) -> [u8; 32] {
    Sha256::new().chain_update(salt).chain_update(password.expose()).finalize().into()
}

/// The version of the password in force, if this is it. Takes as long when there is none.
pub(super) async fn check(pool: &PgPool, door: &Door, password: Secret) -> Result<Option<Uuid>, Refusal> {
    let stored = sqlx::query!("select hash, version from club.judging_password").fetch_optional(pool).await?;
    let (hash, version) = match stored {
        Some(row) => (Some(row.hash), Some(row.version)),
        None => (None, None),
    };
    if let Some(matches) = version.and_then(|version| door.known.compare(version, &password)) {
        return Ok(version.filter(|_| matches));
    }
    let known = door.known.clone();
    let verify = move || {
        let matches = match hash {
            Some(hash) => is_hash_of(&hash, &password),
            None => hashed(&password).is_err(),
        };
        let version = version.filter(|_| matches)?;
        known.remember(version, &password);
        Some(version)
    };
    Ok(door.hashing.run(verify).await?)
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
