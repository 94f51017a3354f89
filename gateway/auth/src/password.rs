//! Passwords: the password policy, and hashing and verification on worker threads, in current and legacy hash formats.

mod legacy;
mod policy;

#[cfg(test)]
use std::sync::Arc;

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use cloch_core::Secret;
use cloch_core::workers::{JobError, Workers};

use crate::error::{AuthError, Result};

use crate::metrics::Hashing;

pub(crate) use crate::password::legacy::is_known_form;
pub(crate) use crate::password::policy::{check, weakness};

/// The bcrypt cost of new password hashes, the same as GoTrue's.
const BCRYPT_COST: u32 = 10;
/// Maximum length of a password in bytes: bcrypt ignores the bytes after the 72nd.
pub(crate) const MAX_PASSWORD_BYTES: usize = 72;
/// Maximum length in bytes of a password that is compared with a stored hash. Larger than 72, because hashes that were imported from other
/// systems may cover more bytes.
const MAX_COMPARED_BYTES: usize = 1024;

/// Maximum number of queued password hashes per worker thread. A hash takes about 50 ms and a request times out after ten seconds, so in a
/// longer queue the last requests would only time out.
const QUEUED_HASHES_PER_THREAD: usize = 200;

/// Worker threads that hash passwords and compare passwords with hashes, so that other requests do not wait for the computation.
pub(crate) struct Passwords {
    workers: Workers,
    /// A random hash. If a user does not exist, the password is compared with this hash, so that the response takes the same time as for an
    /// existing user.
    nobody: Secret,
    #[cfg(test)]
    pub(crate) computed: Arc<std::sync::atomic::AtomicUsize>,
}

impl Passwords {
    /// Starts the worker threads.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self {
            workers: Workers::for_each_core("password", QUEUED_HASHES_PER_THREAD)?,
            nobody: Secret::new(nobody()),
            #[cfg(test)]
            computed: Arc::default(),
        })
    }

    pub(crate) async fn hash(&self, password: &str) -> Result<Secret> {
        check_length(password)?;
        let password = Secret::new(password);
        // Not `non_truncating_hash`: it counts the NUL at the end, and so refuses a password of 72 bytes. The length is checked above.
        self.work(Hashing::New, move || bcrypt::hash(password.expose(), BCRYPT_COST))
            .await?
            .map(Secret::new)
            .map_err(|error| AuthError::internal("Error hashing password", error))
    }

    /// Whether a password matches a stored hash. Supports all hash formats that an imported database may contain.
    pub(crate) async fn verify(&self, hash: &Secret, password: &str) -> Result<bool> {
        let (hash, password) = (hash.clone(), Secret::new(password));
        self.work(Hashing::Compare, move || legacy::verify(hash.expose(), password.expose())).await
    }

    /// Compares the password with a random hash. This takes as long as [`Passwords::verify`], so that the response time does not reveal
    /// whether the user exists.
    pub(crate) async fn pretend(&self, password: &str) -> Result<()> {
        let nobody = self.nobody.clone();
        self.verify(&nobody, password).await.map(drop)
    }

    async fn work<T: Send + 'static>(&self, kind: Hashing, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        kind.submitted();
        #[cfg(test)]
        self.computed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let worked = self.workers.run(work).await.inspect(|_| kind.completed());
        worked.map_err(|error| match error {
            JobError::QueueFull => {
                AuthError::unavailable("unexpected_failure", "Too many sign-ins at this moment, please retry.")
            }
            JobError::Lost => AuthError::internal("Error hashing password", "the worker threads are gone"),
        })
    }
}

/// Returns a bcrypt hash of random bits, which no password has. The hash is not computed from a password, because that would delay every start of the
/// server by the time of one hash.
fn nobody() -> String {
    const BCRYPT: GeneralPurpose = GeneralPurpose::new(&alphabet::BCRYPT, NO_PAD);
    let (salt, digest) = (rand::random::<[u8; 16]>(), rand::random::<[u8; 23]>());
    format!("$2b${BCRYPT_COST}${}{}", BCRYPT.encode(salt), BCRYPT.encode(digest))
}

/// Refuses a password that is longer than bcrypt supports. This limit applies regardless of the password policy.
pub(crate) fn check_length(password: &str) -> Result<()> {
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(AuthError::validation(format!("Password cannot be longer than {MAX_PASSWORD_BYTES} characters")));
    }
    Ok(())
}

/// Returns the hash of a random password, for a user without a password. A low bcrypt cost suffices, because nobody can guess the 64 random
/// characters.
pub(crate) fn unknowable() -> Result<Secret> {
    bcrypt::hash(random(), 4).map(Secret::new).map_err(|error| AuthError::internal("Error generating password", error))
}

fn random() -> String {
    use rand::RngExt;
    let mut rng = rand::rng();
    std::iter::repeat_with(|| char::from(rng.sample(rand::distr::Alphanumeric))).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result `Ok(false)` shows that bcrypt accepted the format of the hash and computed a hash. The cost is the same as for users'
    /// hashes.
    #[test]
    fn a_comparison_with_nobody_costs_what_a_users_does() {
        let parts: bcrypt::HashParts = nobody().parse().unwrap();
        assert_eq!(parts.get_cost(), BCRYPT_COST);
        assert!(matches!(bcrypt::verify("right", &nobody()), Ok(false)));
        let user = bcrypt::hash("right", BCRYPT_COST).unwrap();
        assert_eq!((user.get(..7), user.len()), (nobody().get(..7), nobody().len()));
        assert_ne!(nobody(), nobody());
    }

    #[tokio::test]
    async fn a_password_has_at_most_seventy_two_bytes() {
        let passwords = Passwords::new().unwrap();
        let longest = "a".repeat(MAX_PASSWORD_BYTES);
        let hash = passwords.hash(&longest).await.unwrap();
        assert!(passwords.verify(&hash, &longest).await.unwrap());
        assert!(!passwords.verify(&hash, &"a".repeat(MAX_PASSWORD_BYTES - 1)).await.unwrap());
        assert!(!passwords.verify(&hash, &"a".repeat(MAX_PASSWORD_BYTES + 1)).await.unwrap());
        assert!(passwords.hash(&"a".repeat(MAX_PASSWORD_BYTES + 1)).await.is_err());
    }
}
