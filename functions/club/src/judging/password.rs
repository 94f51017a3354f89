//! Hashes, compares and replaces the judges' password.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use cloch_core::Secret;
use cloch_core::workers::Workers;
use cloch_functions::FunctionError;
use cloch_sql::Database;
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use uuid::Uuid;

use crate::JUDGING_PASSWORD;

/// Key of the PostgreSQL advisory lock that prevents two nodes from applying the configured password at the same time when they start.
const APPLY_LOCK: i64 = 0x6a75_6467_6573;

/// bcrypt cost of the configured password's fingerprint, the same cost that GoTrue uses for password hashes. One hash takes tens of
/// milliseconds.
const FINGERPRINT_COST: u32 = 10;
/// Maximum number of password guesses that wait for hashing. At most one guess of each client waits for hashing; the client's other guesses wait in
/// the client's queue.
const QUEUED_HASHES: usize = 2048;

/// Digest of the password that this node verified last. Comparing a guess with the digest takes a microsecond; an Argon2 hash takes tens of
/// milliseconds and 19 MB. Therefore many wrong guesses do not delay a right guess.
#[derive(Clone, Debug, Default)]
struct VerifiedPassword(Arc<Mutex<Option<SaltedDigest>>>);

#[derive(Debug)]
struct SaltedDigest {
    version: Uuid,
    /// Random salt that never leaves this process. Because of the salt, the comparison of digests need not run in constant time: the duration of the
    /// comparison reveals nothing about the password.
    salt: Uuid,
    digest: [u8; 32],
}

impl VerifiedPassword {
    /// Compares a password with the stored digest of the password version `version`. Returns `None` if this node has not verified the version yet.
    fn compare(&self, version: Uuid, password: &Secret) -> Option<bool> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.as_ref().filter(|seen| seen.version == version)?;
        Some(salted(seen.salt, password) == seen.digest)
    }

    fn remember(&self, version: Uuid, password: &Secret) {
        let salt = Uuid::new_v4();
        let digest = salted(salt, password);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(SaltedDigest { version, salt, digest });
    }
}

fn salted(salt: Uuid, password: &Secret) -> [u8; 32] {
    Sha256::new().chain_update(salt).chain_update(password.expose()).finalize().into()
}

#[derive(Clone, Debug)]
pub(super) struct Checker {
    verified: VerifiedPassword,
    hashing: Workers,
}

impl Checker {
    pub(super) fn new() -> io::Result<Self> {
        // Only one hashing thread is started, because each hash takes 19 MB of memory.
        let hashing = Workers::start("judging", 1, QUEUED_HASHES)?;
        Ok(Self { verified: VerifiedPassword::default(), hashing })
    }

    /// Returns the version of the current password if the guess matches the password. Returns `None` if the guess is wrong or no password is
    /// stored. Without a stored password, the guess is hashed all the same, so that the check takes as long as with a stored password.
    pub(super) async fn check(&self, pool: &PgPool, password: Secret) -> Result<Option<Uuid>, FunctionError> {
        let stored = sqlx::query!("select hash, version from club.judging_password").fetch_optional(pool).await?;
        let (hash, version) = match stored {
            Some(row) => (Some(row.hash), Some(row.version)),
            None => (None, None),
        };
        if let Some(matches) = version.and_then(|version| self.verified.compare(version, &password)) {
            return Ok(version.filter(|_| matches));
        }
        let verified = self.verified.clone();
        let verify = move || {
            let matches = match hash {
                Some(hash) => is_hash_of(&hash, &password),
                None => hashed(&password).is_err(),
            };
            let version = version.filter(|_| matches)?;
            verified.remember(version, &password);
            Some(version)
        };
        Ok(self.hashing.run(verify).await?)
    }
}

/// Replaces the judges' password. All tokens issued for the previous password become invalid.
///
/// # Errors
/// If the database fails.
pub async fn set_password(
    database: &Database,
    password: Secret,
    changed_by: Option<Uuid>,
) -> Result<(), FunctionError> {
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

/// Replaces the judges' password by the configured password if the configured password differs from the one at the last start. Otherwise
/// keeps the stored password, which an administrator may have set.
pub(crate) async fn apply_configured(database: &Database, password: Option<&Secret>) -> Result<(), FunctionError> {
    let Some(password) = password.filter(|password| !password.is_empty()).cloned() else {
        tracing::warn!(
            "club: no judging password is configured ({JUDGING_PASSWORD}): judges of the competition cannot sign in until an admin sets a judging \
             password"
        );
        return Ok(());
    };
    let mut transaction = cloch_sql::transaction::begin(database.admin()).await?;
    sqlx::query!("select pg_advisory_xact_lock($1)", APPLY_LOCK).execute(&mut *transaction).await?;
    let configured = sqlx::query_scalar!("select configured from club.judging_password")
        .fetch_optional(&mut *transaction)
        .await?
        .flatten();
    let new = blocking(move || match configured {
        Some(last) if is_fingerprint_of(&last, &password) => Ok(None),
        _ => Ok::<_, FunctionError>(Some((hashed(&password)?, fingerprint(&password)?))),
    })
    .await??;
    if let Some((hash, fingerprint)) = new {
        sqlx::query!(
            "insert into club.judging_password (hash, configured) values ($1, $2)
             on conflict (only_one) do update
               set hash = excluded.hash, configured = excluded.configured, version = gen_random_uuid(),
                   changed_by = null, changed_at = now()",
            hash,
            fingerprint,
        )
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Hashes a password with Argon2id and the default parameters of the argon2 crate, which OWASP recommends.
fn hashed(password: &Secret) -> Result<String, FunctionError> {
    let hash = Argon2::default().hash_password(password.expose().as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| FunctionError::internal(&error))
}

/// Verifies a password against an Argon2 or bcrypt hash. The argon2 and bcrypt libraries compare in constant time.
fn is_hash_of(hash: &str, password: &Secret) -> bool {
    match hash.starts_with("$argon2") {
        true => Argon2::default().verify_password(password.expose().as_bytes(), hash).is_ok(),
        false => bcrypt::verify(password.expose(), hash).unwrap_or(false),
    }
}

/// Returns a fingerprint of the configured password. The fingerprint is stored, so that the next start of the server can detect a changed
/// configuration. It is a bcrypt hash, because Argon2 would need 19 MB of memory at every start. bcrypt reads at most 72 bytes, so a digest
/// of the password is hashed.
fn fingerprint(password: &Secret) -> Result<String, FunctionError> {
    bcrypt::hash(digest(password), FINGERPRINT_COST).map_err(|error| FunctionError::internal(&error))
}

fn is_fingerprint_of(fingerprint: &str, password: &Secret) -> bool {
    bcrypt::verify(digest(password), fingerprint).unwrap_or(false)
}

fn digest(password: &Secret) -> String {
    BASE64.encode(Sha256::digest(password.expose()))
}

/// Computes a hash on a blocking thread. A hash takes tens of milliseconds of CPU time, which would delay other connections on the current thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, FunctionError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| FunctionError::internal(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_hash_are_compared() {
        let right = Secret::new("The Clyde at dawn");
        for hash in [hashed(&right).unwrap(), bcrypt::hash("The Clyde at dawn", 4).unwrap()] {
            assert!(!is_hash_of(&hash, &Secret::new("the clyde at dawn")));
            assert!(!is_hash_of(&hash, &Secret::new("")));
            assert!(is_hash_of(&hash, &right));
        }
        let stored = fingerprint(&right).unwrap();
        assert!(!is_fingerprint_of(&stored, &Secret::new("the clyde at dawn")) && !is_fingerprint_of("", &right));
        assert!(is_fingerprint_of(&stored, &right));
        assert!(!is_hash_of("", &right));
        assert!(!is_hash_of("The Clyde at dawn", &right));
    }
}
