//! Reads and writes the JSON files of a backup target, which are not encrypted. Each file is a JSON object whose last members are the
//! server's signature and a SHA-256 digest of all preceding bytes. The digest detects a disk error without a key; the signature detects
//! deliberate changes.

use hex::FromHex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::error::{BackupError, Result};
use crate::signature::{Place, Proof, SIGNATURE_BYTES, Signer};
use crate::target::Target;

/// JSON text before the signature in a file.
const SIGNATURE: &str = ",\n  \"signature\": \"";
/// JSON text before the digest in a file. The digest is the last member of the file's JSON object.
const MEMBER: &str = ",\n  \"sha256\": \"";
const END: &str = "\"\n}";

/// Reads a JSON file without verifying its signature. Returns `None` if the file does not exist. A file of the unsigned format of older
/// Cloch versions has no digest, so it counts as damaged only if it cannot be parsed.
pub(crate) async fn read<T: DeserializeOwned>(target: &Target, name: &str) -> Result<Option<(T, Proof)>> {
    let Some(bytes) = target.get(name).await? else { return Ok(None) };
    parse(name, &bytes).map(Some)
}

/// Parses the content `bytes` of the JSON file `name` and verifies its digest, but not its signature. Returns the value and the proof of the
/// file's author. A file of the unsigned format of older Cloch versions has no digest.
pub(crate) fn parse<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<(T, Proof)> {
    if !fits(bytes) {
        return Err(BackupError::damaged(name, "its checksum does not fit"));
    }
    let value = serde_json::from_slice(bytes).map_err(|error| BackupError::damaged(name, error))?;
    Ok((value, proof(bytes)))
}

/// Returns the text of a JSON file: the members of `value`, then the signature and the digest. `place` is the file for which the signature
/// is valid.
pub(crate) fn signed(name: &str, value: &impl Serialize, place: Place<'_>, signer: &Signer) -> Result<String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| BackupError::damaged(name, error))?;
    let members = text.strip_suffix("\n}").ok_or_else(|| BackupError::damaged(name, "it is no JSON object"))?;
    let signature = signer.sign(place, &Sha256::digest(members).into());
    let all = format!("{members}{SIGNATURE}{}\"", hex::encode(signature));
    let digest = hex::encode(Sha256::digest(&all));
    Ok(format!("{all}{MEMBER}{digest}{END}"))
}

fn proof(bytes: &[u8]) -> Proof {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let all_members = || text.trim_end().strip_suffix('}').unwrap_or(text).trim_end();
    let before_digest = text.rsplit_once(MEMBER).map_or_else(all_members, |(before, _)| before);
    let found = before_digest.rsplit_once(SIGNATURE).and_then(|(members, signature)| {
        let signature = <[u8; SIGNATURE_BYTES]>::from_hex(signature.strip_suffix('"')?).ok()?;
        Some((members, signature))
    });
    match found {
        Some((members, signature)) => Proof { digest: Sha256::digest(members).into(), signature: Some(signature) },
        None => Proof { digest: Sha256::digest(text).into(), signature: None },
    }
}

/// Whether the digest at the end of a JSON file matches the bytes before the digest. A file without a digest passes.
pub(crate) fn fits(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Some((members, digest)) = text.rsplit_once(MEMBER) else { return true };
    let given = digest.strip_suffix(END).and_then(|digest| <[u8; 32]>::from_hex(digest).ok());
    given.is_some_and(|given| given == *Sha256::digest(members))
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;

    use super::*;

    const NAME: &str = "series/s/point.json";
    const PLACE: Place<'_> = Place::File { target: "t", name: NAME };

    fn signer() -> Signer {
        Signer::derive(&Secret::from("AGE-SECRET-KEY-1".to_owned())).unwrap()
    }

    fn is_authentic(text: &[u8]) -> bool {
        let read: Result<(serde_json::Value, Proof)> = parse(NAME, text);
        let verified = read.map(|(_, proof)| {
            let signature = proof.signature.as_ref().map(<[u8; SIGNATURE_BYTES]>::as_slice);
            signer().verifier().verify(PLACE, NAME, &proof.digest, signature)
        });
        matches!(verified, Ok(Ok(())))
    }

    #[test]
    fn a_changed_byte_is_noticed_wherever_it_is() {
        let value = serde_json::json!({ "end": "0/3000060", "of": [1] });
        let written = signed(NAME, &value, PLACE, &signer()).unwrap();
        assert!(fits(written.as_bytes()) && is_authentic(written.as_bytes()));
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!((read.get("end"), read.pointer("/of/0")), (Some(&"0/3000060".into()), Some(&1.into())));
        for place in 0..written.len() {
            let mut damaged = written.clone().into_bytes();
            *damaged.get_mut(place).unwrap() ^= 1;
            assert!(!is_authentic(&damaged), "byte {place}");
        }
    }

    #[test]
    fn a_changed_file_with_a_new_digest_or_none_is_not_authentic() {
        let value = serde_json::json!({ "end": "0/3000060" });
        let written = signed(NAME, &value, PLACE, &signer()).unwrap();
        let changed = written.replace("0/3000060", "0/2000000");
        let (members, _) = changed.rsplit_once(MEMBER).unwrap();
        let with_digest = format!("{members}{MEMBER}{}{END}", hex::encode(Sha256::digest(members)));
        let (unsigned, _) = changed.rsplit_once(SIGNATURE).unwrap();
        let unsigned = format!("{unsigned}\n}}");
        for forged in [&with_digest, &unsigned] {
            assert!(fits(forged.as_bytes()), "nothing is damaged");
            assert!(!is_authentic(forged.as_bytes()), "{forged}");
        }
    }

    #[test]
    fn files_of_before_have_no_digest() {
        assert!(fits(b"{\n  \"end\": \"0/3000060\"\n}"));
    }
}
