//! Passwords of operators, hashed by Argon2id with an additional key of the server. An attacker who has only the database cannot test guesses
//! of a password without this key.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use cloch_core::Secret;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::dashboard::{ApiError, Keys};

/// Argon2id memory in KiB and number of rounds, as OWASP recommends.
const MEMORY_KIB: u32 = 19 * 1024;
const ROUNDS: u32 = 2;
/// Maximum number of concurrent computations of password hashes. Each computation uses a CPU core and `MEMORY_KIB` of
/// memory.
const MAX_AT_ONCE: usize = 2;
/// Maximum time for which a sign-in waits for the computation of its password hash to begin.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum length of a new password in characters.
const MIN_CHARS: usize = 10;
const MAX_CHARS: usize = 256;

/// Hashes and verifies passwords on separate threads, so that the computation does not delay other requests.
#[derive(Debug)]
pub struct Passwords {
    pepper: [u8; 32],
    turns: Arc<Semaphore>,
    /// Random hash that no password has. If no operator has the given e-mail address, the password is compared with this hash, so that the
    /// response takes the same time.
    nobody: Secret,
}

impl Passwords {
    /// Creates the hasher with the dashboard's keys.
    #[must_use]
    pub fn new(keys: &Keys) -> Self {
        Self { pepper: keys.pepper(), turns: Arc::new(Semaphore::new(MAX_AT_ONCE)), nobody: nobody() }
    }

    pub(in crate::dashboard) async fn hash(&self, password: &Secret) -> Result<Secret, ApiError> {
        let (pepper, password) = (self.pepper, password.clone());
        self.work(move || hash(&pepper, &password))
            .await?
            .map_err(|error| ApiError::internal("a password cannot be hashed", error))
    }

    /// Whether a password matches a hash. If the operator has no hash, returns `false` after the same computation time.
    pub(in crate::dashboard) async fn verify(
        &self,
        hash: Option<&Secret>,
        password: &Secret,
    ) -> Result<bool, ApiError> {
        let (pepper, password) = (self.pepper, password.clone());
        let stored = hash.unwrap_or(&self.nobody).clone();
        let fits = self.work(move || verify(&pepper, &stored, &password)).await?;
        Ok(fits && hash.is_some())
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
        let busy = || ApiError::unavailable("Too many sign-ins at this moment. Try again");
        let turn = timeout(TURN_TIMEOUT, Arc::clone(&self.turns).acquire_owned()).await.map_err(|_| busy())?;
        let turn = turn.map_err(|_| busy())?;
        // The permit for a hash computation is released when the computation ends, even if the client has disconnected.
        let working = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        working.await.map_err(|error| ApiError::internal("a password cannot be hashed", error))
    }
}

/// Checks a new password: its length, and that the password consists neither of the e-mail address nor of one repeated
/// character.
pub(in crate::dashboard) fn check(password: &Secret, email: &str) -> Result<(), ApiError> {
    let text = password.expose();
    let count = text.chars().count();
    if !(MIN_CHARS..=MAX_CHARS).contains(&count) {
        return Err(ApiError::bad_request(format!("A password has {MIN_CHARS} to {MAX_CHARS} characters")));
    }
    let lower = text.to_lowercase();
    let name = email.split('@').next().unwrap_or_default().to_lowercase();
    let is_repeated = text.chars().all(|character| text.starts_with(character));
    if is_repeated || lower == email.to_lowercase() || (name.len() > 3 && lower.replace(&name, "").chars().count() < 6)
    {
        return Err(ApiError::bad_request(
            "This password is easy to guess: it is made of your address or of one letter",
        ));
    }
    Ok(())
}

/// Returns an Argon2id hash of random bits. It is not computed from a password, because that would delay
/// every start of the server.
fn nobody() -> Secret {
    let salt = STANDARD_NO_PAD.encode(rand::random::<[u8; 16]>());
    let digest = STANDARD_NO_PAD.encode(rand::random::<[u8; 32]>());
    Secret::new(format!("$argon2id$v=19$m={MEMORY_KIB},t={ROUNDS},p=1${salt}${digest}"))
}

fn argon2(pepper: &[u8; 32]) -> Result<Argon2<'_>, argon2::Error> {
    let params = Params::new(MEMORY_KIB, ROUNDS, 1, None)?;
    Argon2::new_with_secret(pepper, Algorithm::Argon2id, Version::V0x13, params)
}

fn hash(pepper: &[u8; 32], password: &Secret) -> Result<Secret, argon2::password_hash::Error> {
    let argon2 = argon2(pepper).map_err(|_| argon2::password_hash::Error::Crypto)?;
    Ok(Secret::new(argon2.hash_password(password.expose().as_bytes())?.to_string()))
}

fn verify(pepper: &[u8; 32], stored: &Secret, password: &Secret) -> bool {
    let (Ok(argon2), Ok(stored)) = (argon2(pepper), PasswordHash::new(stored.expose())) else { return false };
    argon2.verify_password(password.expose().as_bytes(), &stored).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_password_with_this_servers_key_fits() {
        let keys = Keys::new(Secret::new("a"));
        let passwords = Passwords::new(&keys);
        let (right, wrong) = (Secret::new("correct horse battery"), Secret::new("correct horse batterz"));
        let hash = passwords.hash(&right).await.unwrap();
        assert!(!passwords.verify(Some(&hash), &wrong).await.unwrap());
        assert!(!passwords.verify(None, &right).await.unwrap(), "nobody");
        let elsewhere = Passwords::new(&Keys::new(Secret::new("b")));
        assert!(!elsewhere.verify(Some(&hash), &right).await.unwrap(), "the hash alone is of no use");
        assert!(passwords.verify(Some(&hash), &right).await.unwrap());
        assert!(hash.expose().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    }

    /// `verify_password` returns `PasswordInvalid` only after it has computed a hash. For a stored hash of invalid form, it would return
    /// another error without a computation.
    #[test]
    fn a_comparison_with_nobody_costs_what_an_operators_does() {
        let pepper = Keys::new(Secret::new("a")).pepper();
        let (nobody, operator) = (nobody(), hash(&pepper, &Secret::new("correct horse battery")).unwrap());
        let (nobody, operator) =
            (PasswordHash::new(nobody.expose()).unwrap(), PasswordHash::new(operator.expose()).unwrap());
        assert_eq!(
            (nobody.algorithm, nobody.version, &nobody.params),
            (operator.algorithm, operator.version, &operator.params)
        );
        let compared = argon2(&pepper).unwrap().verify_password(b"correct horse battery", &nobody);
        assert_eq!(compared, Err(argon2::password_hash::Error::PasswordInvalid));
    }

    #[test]
    fn a_password_is_not_what_anybody_would_try() {
        let refused = |password: &str| check(&Secret::new(password), "Eilidh@club.example").is_err();
        for password in ["", "short", "aaaaaaaaaaaa", "eilidh@club.example", "eilidh12345", &"x".repeat(257)] {
            assert!(refused(password), "{password}");
        }
        assert!(!refused("Greenock pier 1889") && !refused("éééééééééa"));
    }
}
