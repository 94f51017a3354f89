//! The files of a target that are not encrypted: JSON objects, which end with the SHA-256 of what is before it. So a digit that the disk has
//! changed is noticed.

use hex::FromHex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::error::{BackupError, Result};
use crate::target::Target;

/// Before the digest, which is the last member of an object.
const MEMBER: &str = ",\n  \"sha256\": \"";
/// Behind it.
const END: &str = "\"\n}";

/// Reads a file; none where there is none.
///
/// # Errors
/// When the target does not answer, or the file is damaged. Files of before have no digest, nor have arrays: they are damaged if they are not
/// what is expected.
pub(crate) async fn get<T: DeserializeOwned>(target: &Target, name: &str) -> Result<Option<T>> {
    let Some(bytes) = target.get(name).await? else { return Ok(None) };
    if !fits(&bytes) {
        return Err(BackupError::damaged(name, "its checksum does not fit"));
    }
    serde_json::from_slice(&bytes).map(Some).map_err(|error| BackupError::damaged(name, error))
}

/// Writes a file.
///
/// # Errors
/// When the target does not take it.
pub(crate) async fn put(target: &Target, name: &str, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|error| BackupError::damaged(name, error))?;
    target.put(name, with_digest(text).into()).await
}

fn with_digest(text: String) -> String {
    match text.strip_suffix("\n}") {
        Some(members) => format!("{members}{MEMBER}{}{END}", hex::encode(Sha256::digest(members))),
        None => text,
    }
}

/// Whether the digest is that of what is before it, or there is none.
pub(crate) fn fits(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Some((members, digest)) = text.rsplit_once(MEMBER) else { return true };
    let given = digest.strip_suffix(END).and_then(|digest| <[u8; 32]>::from_hex(digest).ok());
    given.is_some_and(|given| given == *Sha256::digest(members))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_is_noticed_wherever_it_is() {
        let written =
            with_digest(serde_json::to_string_pretty(&serde_json::json!({ "end": "0/3000060", "of": [1] })).unwrap());
        assert!(fits(written.as_bytes()));
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!((read.get("end"), read.pointer("/of/0")), (Some(&"0/3000060".into()), Some(&1.into())));
        for place in 0..written.len() {
            let mut damaged = written.clone().into_bytes();
            *damaged.get_mut(place).unwrap() ^= 1;
            let is_noticed = !fits(&damaged) || serde_json::from_slice::<serde_json::Value>(&damaged).is_err();
            assert!(is_noticed || !String::from_utf8(damaged).unwrap().contains(MEMBER), "byte {place}");
        }
    }

    #[test]
    fn files_of_before_and_arrays_have_no_digest() {
        assert!(fits(b"{\n  \"end\": \"0/3000060\"\n}"));
        assert_eq!(with_digest("[\n  1\n]".to_owned()), "[\n  1\n]");
    }
}
