//! Passwords: the policy, current and legacy hashes, and the worker threads for hashing.

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

/// The cost of new hashes, as upstream.
const BCRYPT_COST: u32 = 10;
/// bcrypt reads no further than this.
pub(crate) const MAX_PASSWORD_BYTES: usize = 72;
/// Longest password that is compared; hashes of other systems may have been made of more than bcrypt reads.
const MAX_COMPARED_BYTES: usize = 1024;

/// Hashes that may wait for each thread. A hash takes some 50 ms, and a request is given up after ten seconds: what is further behind
/// would not be waited for.
const QUEUED_HASHES_PER_THREAD: usize = 200;

/// Hashes and compares on threads of their own: other requests never wait for a password.
pub(crate) struct Passwords {
    workers: Workers,
    /// Compared with when there is no such user, so that both cases take as long.
    nobody: Secret,
    /// How many hashes were computed, whatever for.
    #[cfg(test)]
    pub(crate) computed: Arc<std::sync::atomic::AtomicUsize>,
}

impl Passwords {
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn new() -> std::io::Result<Self> {
        let nobody = bcrypt::hash(uuid::Uuid::new_v4().to_string(), BCRYPT_COST).unwrap_or_default();
        Ok(Self {
            workers: Workers::for_each_core("password", QUEUED_HASHES_PER_THREAD)?,
            nobody: Secret::new(nobody),
            #[cfg(test)]
            computed: Arc::default(),
        })
    }

    /// A new hash, in the form Supabase stores.
    pub(crate) async fn hash(&self, password: &str) -> Result<Secret> {
        check_length(password)?;
        let password = Secret::new(password);
        self.work(Hashing::New, move || bcrypt::non_truncating_hash(password.expose(), BCRYPT_COST))
            .await?
            .map(Secret::new)
            .map_err(|error| AuthError::internal("Error hashing password", error))
    }

    /// Whether a password is the one of a stored hash, in any form that a dump may hold.
    pub(crate) async fn verify(&self, hash: &Secret, password: &str) -> Result<bool> {
        let (hash, password) = (hash.clone(), Secret::new(password));
        self.work(Hashing::Compare, move || legacy::verify(hash.expose(), password.expose())).await
    }

    /// Takes as long as [`Passwords::verify`] does.
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

/// The one rule that no policy can relax.
pub(crate) fn check_length(password: &str) -> Result<()> {
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(AuthError::validation(format!("Password cannot be longer than {MAX_PASSWORD_BYTES} characters")));
    }
    Ok(())
}

/// The hash of a password nobody knows, for users who are to set their own. It is not worth the usual cost: 64 random characters
/// need no slow hash.
pub(crate) fn unknowable() -> Result<Secret> {
    bcrypt::hash(random(), 4).map(Secret::new).map_err(|error| AuthError::internal("Error generating password", error))
}

fn random() -> String {
    use rand::RngExt;
    let mut rng = rand::rng();
    std::iter::repeat_with(|| char::from(rng.sample(rand::distr::Alphanumeric))).take(64).collect()
}
