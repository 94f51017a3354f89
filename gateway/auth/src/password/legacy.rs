//! Verifies password hashes that an imported `auth.users` may contain: bcrypt, argon2, Firebase's scrypt.

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use subtle::ConstantTimeEq;

/// Maximum cost of a stored bcrypt hash: 2^16 rounds, which take about three seconds.
const MAX_BCRYPT_COST: u32 = 16;
const MAX_MEMORY_KIB: u64 = 1024 * 1024;

/// Whether a password matches a stored hash. Returns false for a malformed hash and for a hash that is too expensive to compute.
pub(crate) fn verify(hash: &str, password: &str) -> bool {
    if password.len() > super::MAX_COMPARED_BYTES {
        return false;
    }
    if hash.starts_with("$argon2") {
        argon2(hash, password).unwrap_or(false)
    } else if hash.starts_with("$fbscrypt$") {
        firebase(hash, password).unwrap_or(false)
    } else {
        // bcrypt ignores all bytes after the 72nd, so a longer password would match the hash of its first 72 bytes. It is refused.
        password.len() <= super::MAX_PASSWORD_BYTES
            && bcrypt_cost(hash)
            && bcrypt::verify(password, hash).unwrap_or(false)
    }
}

/// Whether the cost of a bcrypt hash (`$2b$10$…`) is within the limit.
fn bcrypt_cost(hash: &str) -> bool {
    hash.split('$').nth(2).and_then(|cost| cost.parse::<u32>().ok()).is_some_and(|cost| cost <= MAX_BCRYPT_COST)
}

pub(crate) fn is_known_form(hash: &str) -> bool {
    let bcrypt = ["$2a$", "$2b$", "$2y$"].into_iter().any(|prefix| hash.starts_with(prefix))
        && hash.len() == 60
        && bcrypt_cost(hash);
    bcrypt || ["$argon2i$", "$argon2id$", "$fbscrypt$"].into_iter().any(|prefix| hash.starts_with(prefix))
}

/// Verifies `$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>`, within the cost limits that GoTrue accepts. `None` if the hash is malformed or
/// exceeds these limits.
fn argon2(hash: &str, password: &str) -> Option<bool> {
    let mut parts = hash.strip_prefix('$')?.split('$');
    let algorithm = match parts.next()? {
        "argon2i" => Algorithm::Argon2i,
        "argon2id" => Algorithm::Argon2id,
        _ => return None,
    };
    if parts.next()? != "v=19" {
        return None;
    }
    let costs = parts.next()?;
    let (memory, rounds, lanes) = (number(costs, "m")?, number(costs, "t")?, number(costs, "p")?);
    if u64::from(memory) > MAX_MEMORY_KIB || rounds > 20 || lanes > 16 {
        return None;
    }
    let salt = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
    let expected = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
    let params = Params::new(memory, rounds, lanes, Some(expected.len())).ok()?;
    let mut computed = vec![0; expected.len()];
    Argon2::new(algorithm, Version::V0x13, params)
        .hash_password_into(password.as_bytes(), &salt, &mut computed)
        .ok()?;
    Some(parts.next().is_none() && !expected.is_empty() && bool::from(computed.ct_eq(&expected)))
}

/// Verifies a hash of Firebase, `$fbscrypt$v=1,n=14,r=8,p=1,ss=<separator>,sk=<signer key>$<salt>$<hash>`. scrypt derives an AES key from
/// the password, this key encrypts the project's signer key, and the ciphertext is the hash. `None` if the hash is malformed or too
/// expensive to compute.
fn firebase(hash: &str, password: &str) -> Option<bool> {
    use aws_lc_rs::cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
    let mut parts = hash.strip_prefix("$fbscrypt$")?.split('$');
    let costs = parts.next()?;
    if number(costs, "v")? != 1 {
        return None;
    }
    let log_n = u8::try_from(number(costs, "n")?).ok().filter(|log_n| *log_n <= 20)?;
    let (r, p) = (number(costs, "r")?, number(costs, "p")?);
    if r == 0 || p == 0 || r > 32 || p > 16 {
        return None;
    }
    // RFC 7914: scrypt needs 128 × r × N bytes of memory.
    if u64::from(r) << log_n > MAX_MEMORY_KIB * 8 {
        return None;
    }
    let mut salt = STANDARD.decode(parts.next()?).ok()?;
    let expected = STANDARD.decode(parts.next()?).ok()?;
    let optional = |name| field(costs, name).map_or(Some(Vec::new()), |text| STANDARD.decode(text).ok());
    salt.extend(optional("ss")?);
    let mut text = optional("sk")?;
    let mut key = [0; 32];
    scrypt::scrypt(password.as_bytes(), &salt, &scrypt::Params::new(log_n, r, p).ok()?, &mut key).ok()?;
    let cipher = EncryptingKey::ctr(UnboundCipherKey::new(&AES_256, &key).ok()?).ok()?;
    let start = EncryptionContext::Iv128([0; 16].into());
    cipher.less_safe_encrypt(&mut text, start).ok()?;
    Some(!expected.is_empty() && bool::from(text.ct_eq(&expected)))
}

fn field<'a>(costs: &'a str, name: &str) -> Option<&'a str> {
    costs.split(',').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn number(costs: &str, name: &str) -> Option<u32> {
    field(costs, name)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_hashes_belong_to_no_password() {
        for hash in [
            "",
            "plain",
            "$2a$",
            "$argon2d$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA",
            "$argon2id$v=19$m=99999999,t=1,p=1$c2FsdHNhbHQ$aGFzaA",
            "$fbscrypt$v=1,n=40,r=8,p=1$AA==$AA==",
            // The computation of these hashes would take gigabytes of memory, or days.
            "$fbscrypt$v=1,n=20,r=32,p=16$AA==$AA==",
            "$2b$31$QmQJ1sYhQyS4ZJp5B9qyGuJ4rY9o0yq3F6o7rXHq7s0H9o1f1z8uK",
        ] {
            assert!(!verify(hash, ""), "{hash}");
            assert!(!verify(hash, "plain"), "{hash}");
        }
    }

    /// Checks hashes in the formats of PHP's password_hash (`$2y$`), of bcrypt and of the argon2 reference tool.
    #[test]
    fn bcrypt_and_argon2() {
        let bcrypt = "$2y$04$QmQJ1sYhQyS4ZJp5B9qyGuJ4rY9o0yq3F6o7rXHq7s0H9o1f1z8uK";
        assert!(!verify(bcrypt, "wrong"));
        let made = bcrypt::hash("correct horse", 4).unwrap_or_default();
        assert!(verify(&made, "correct horse") && !verify(&made, "correct horse "));
        let long = bcrypt::hash("a".repeat(72), 4).unwrap_or_default();
        assert!(verify(&long, &"a".repeat(72)) && !verify(&long, &"a".repeat(73)));
        // Output of the command: echo -n password | argon2 somesalt -t 2 -m 16 -p 1 -l 24 -id
        let argon2 = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert!(verify(argon2, "password") && !verify(argon2, "Password"));
    }

    /// Verifies the example of Firebase's documentation of its scrypt variant.
    #[test]
    fn firebase_scrypt() {
        let hash = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";
        assert!(verify(hash, "user1password"));
        assert!(!verify(hash, "user2password"));
    }
}
