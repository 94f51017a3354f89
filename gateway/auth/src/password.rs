//! Password hashing: the password policy, current and legacy hash formats, and worker threads.

mod legacy;
mod policy;

#[cfg(test)]
use std::sync::Arc;

use cloch_core::Secret;
use cloch_core::workers::{JobError, Workers};

use crate::error::{AuthError, Result};

use crate::metrics::Hashing;

pub(crate) use crate::password::legacy::is_known_form;
pub(crate) use crate::password::policy::{Weakness, check, weakness};

/// The bcrypt cost of new hashes, the same as GoTrue's.
const BCRYPT_COST: u32 = 10;
/// Maximum length of a password in bytes: bcrypt ignores all further bytes.
pub(crate) const MAX_PASSWORD_BYTES: usize = 72;
/// Maximum length in bytes of a password that is compared with a stored hash. Hashes imported from other systems may cover more than 72
/// bytes.
const MAX_COMPARED_BYTES: usize = 1024;

/// Maximum number of queued hashes per worker thread. A hash takes about 50 ms and a request times out after ten seconds, so a longer queue
/// would only hold requests that time out.
const QUEUED_HASHES_PER_THREAD: usize = 200;

/// Hashes and compares passwords on worker threads, so that other requests do not wait.
pub(crate) struct Passwords {
    workers: Workers,
    /// A hash to compare with if the user does not exist, so that the response takes the same time for existing and unknown users.
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
        let nobody = bcrypt::hash(uuid::Uuid::new_v4().to_string(), BCRYPT_COST).unwrap_or_default();
        Ok(Self {
            workers: Workers::for_each_core("password", QUEUED_HASHES_PER_THREAD)?,
            nobody: Secret::new(nobody),
            #[cfg(test)]
            computed: Arc::default(),
        })
    }

    pub(crate) async fn hash(&self, password: &str) -> Result<Secret> {
        check_length(password)?;
        let password = Secret::new(password);
        self.work(Hashing::New, move || bcrypt::non_truncating_hash(password.expose(), BCRYPT_COST))
            .await?
            .map(Secret::new)
            .map_err(|error| AuthError::internal("Error hashing password", error))
    }

    /// Whether a password matches a stored hash, in any hash format that an imported database may contain.
    pub(crate) async fn verify(&self, hash: &Secret, password: &str) -> Result<bool> {
        let (hash, password) = (hash.clone(), Secret::new(password));
        self.work(Hashing::Compare, move || legacy::verify(hash.expose(), password.expose())).await
    }

    /// Compares the password with a random hash, which takes as long as [`Passwords::verify`].
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

/// Refuses passwords longer than bcrypt supports. No password policy can relax this limit.
pub(crate) fn check_length(password: &str) -> Result<()> {
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(AuthError::validation(format!("Password cannot be longer than {MAX_PASSWORD_BYTES} characters")));
    }
    Ok(())
}

/// Returns the hash of a random password, for users without a password. A low bcrypt cost suffices, because nobody can guess 64 random
/// characters.
pub(crate) fn unknowable() -> Result<Secret> {
    bcrypt::hash(random(), 4).map(Secret::new).map_err(|error| AuthError::internal("Error generating password", error))
}

fn random() -> String {
    use rand::RngExt;
    let mut rng = rand::rng();
    std::iter::repeat_with(|| char::from(rng.sample(rand::distr::Alphanumeric))).take(64).collect()
}
