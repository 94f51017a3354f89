//! Verifies signatures of Ethereum accounts (EIP-191, secp256k1): recovers the signer's address from the signature. Contract accounts
//! (EIP-1271) are not supported.

use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use sha3::{Digest, Keccak256};

use super::Message;
use crate::error::{AuthError, Result};

const SIGNATURE_BYTES: usize = 65;
/// The offset that older wallets add to the recovery id of a signature.
const OLD_RECOVERY_ID: u8 = 27;

pub(super) fn signature(text: &str) -> Result<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    hex::decode(digits).ok().filter(|bytes| bytes.len() == SIGNATURE_BYTES).ok_or_else(|| {
        AuthError::validation("signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string")
    })
}

pub(super) fn has_signed(message: &Message<'_>, signature: &[u8]) -> bool {
    signer_of(message.raw, signature).is_some_and(|address| address.eq_ignore_ascii_case(message.address))
}

pub(super) fn signer_of(text: &str, signature: &[u8]) -> Option<String> {
    let (rs, v) = signature.split_at_checked(SIGNATURE_BYTES - 1)?;
    let v = *v.first()?;
    let id = RecoveryId::from_byte(if v >= OLD_RECOVERY_ID { v - OLD_RECOVERY_ID } else { v })?;
    let signature = Signature::from_slice(rs).ok()?;
    let key = VerifyingKey::recover_from_prehash(&prehash(text), &signature, id).ok()?;
    Some(address_of(&key))
}

/// Returns the hash of a message that Ethereum wallets sign (EIP-191, version 0x45).
pub(super) fn prehash(text: &str) -> [u8; 32] {
    let prefix = format!("\u{19}Ethereum Signed Message:\n{}", text.len());
    Keccak256::new().chain_update(prefix).chain_update(text).finalize().into()
}

pub(super) fn address_of(key: &VerifyingKey) -> String {
    let point = key.to_sec1_point(false);
    let digest = Keccak256::digest(point.as_bytes().get(1..).unwrap_or_default());
    format!("0x{}", hex::encode(digest.get(12..).unwrap_or_default()))
}
