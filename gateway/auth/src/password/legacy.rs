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
        Argon2Hash::parse(hash).is_some_and(|hash| hash.matches(password))
    } else if hash.starts_with("$fbscrypt$") {
        FirebaseHash::parse(hash).and_then(|hash| hash.matches(password)).unwrap_or(false)
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

/// Whether a password could match the hash. This requires a well-formed hash of a known algorithm within the cost limits.
pub(crate) fn is_known_form(hash: &str) -> bool {
    is_bcrypt(hash) || Argon2Hash::parse(hash).is_some() || FirebaseHash::parse(hash).is_some()
}

fn is_bcrypt(hash: &str) -> bool {
    let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'/';
    ["$2a$", "$2b$", "$2y$"].into_iter().any(|prefix| hash.starts_with(prefix))
        && hash.len() == 60
        && bcrypt_cost(hash)
        && hash.rsplit('$').next().is_some_and(|rest| rest.len() == 53 && rest.bytes().all(in_alphabet))
}

/// A hash in the form `$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>`.
struct Argon2Hash {
    algorithm: Algorithm,
    params: Params,
    salt: Vec<u8>,
    expected: Vec<u8>,
}

impl Argon2Hash {
    /// Parses a hash within the cost limits that GoTrue accepts. `None` if the hash is malformed or exceeds these limits.
    fn parse(hash: &str) -> Option<Self> {
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
        let salt = STANDARD_NO_PAD.decode(parts.next()?).ok().filter(|salt| salt.len() >= argon2::MIN_SALT_LEN)?;
        let expected = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
        let params = Params::new(memory, rounds, lanes, Some(expected.len())).ok()?;
        parts.next().is_none().then_some(Self { algorithm, params, salt, expected })
    }

    fn matches(self, password: &str) -> bool {
        let mut computed = vec![0; self.expected.len()];
        Argon2::new(self.algorithm, Version::V0x13, self.params)
            .hash_password_into(password.as_bytes(), &self.salt, &mut computed)
            .is_ok_and(|()| bool::from(computed.ct_eq(&self.expected)))
    }
}

/// A hash of Firebase, `$fbscrypt$v=1,n=14,r=8,p=1,ss=<separator>,sk=<signer key>$<salt>$<hash>`. scrypt derives an AES key from the
/// password, this key encrypts the project's signer key, and the ciphertext is the hash.
struct FirebaseHash {
    params: scrypt::Params,
    /// The salt of the user, followed by the separator of the project.
    salt: Vec<u8>,
    signer_key: Vec<u8>,
    expected: Vec<u8>,
}

impl FirebaseHash {
    /// `None` if the hash is malformed or too expensive to compute.
    fn parse(hash: &str) -> Option<Self> {
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
        let expected = STANDARD.decode(parts.next()?).ok().filter(|expected| !expected.is_empty())?;
        let optional = |name| field(costs, name).map_or(Some(Vec::new()), |text| STANDARD.decode(text).ok());
        salt.extend(optional("ss")?);
        let signer_key = optional("sk")?;
        Some(Self { params: scrypt::Params::new(log_n, r, p).ok()?, salt, signer_key, expected })
    }

    /// `None` if the computation fails.
    fn matches(self, password: &str) -> Option<bool> {
        use aws_lc_rs::cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
        let mut key = [0; 32];
        scrypt::scrypt(password.as_bytes(), &self.salt, &self.params, &mut key).ok()?;
        let cipher = EncryptingKey::ctr(UnboundCipherKey::new(&AES_256, &key).ok()?).ok()?;
        let mut text = self.signer_key;
        cipher.less_safe_encrypt(&mut text, EncryptionContext::Iv128([0; 16].into())).ok()?;
        Some(bool::from(text.ct_eq(&self.expected)))
    }
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
            assert!(!is_known_form(hash), "{hash}");
        }
    }

    #[test]
    fn only_well_formed_hashes_are_known() {
        let bcrypt = "$2y$04$QmQJ1sYhQyS4ZJp5B9qyGuJ4rY9o0yq3F6o7rXHq7s0H9o1f1z8uK";
        let argon2 = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert!(is_known_form(bcrypt) && is_known_form(argon2));
        for hash in [
            "$2y$04$Qm",
            &bcrypt.replace('Q', "!"),
            &argon2.replace("v=19", "v=16"),
            &argon2.replace("c29tZXNhbHQ", "c2FsdA"),
            &argon2.replace("m=65536", "m=1"),
            &format!("{argon2}$x"),
            "$argon2id$odd",
            "$fbscrypt$odd",
        ] {
            assert!(!is_known_form(hash), "{hash}");
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
