//! Signatures of Solana's wallets: Ed25519 over the message, or over an off-chain message, which hardware wallets sign.

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::Message;
use crate::auth::error::{AuthError, Result};

const SIGNATURE_BYTES: usize = 64;
const KEY_BYTES: usize = 32;
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(super) fn signature(text: &str) -> Result<Vec<u8>> {
    if ![86, 88].contains(&text.len()) {
        return Err(AuthError::validation("signature must be 64 bytes encoded as base64 with or without padding"));
    }
    LENIENT
        .decode(text.replace('+', "-").replace('/', "_"))
        .ok()
        .filter(|bytes| bytes.len() == SIGNATURE_BYTES)
        .ok_or_else(|| AuthError::validation("signature does not contain valid base64 characters"))
}

pub(super) fn has_signed(message: &Message<'_>, signature: &[u8]) -> bool {
    let Some(key) = bs58::decode(message.address).into_vec().ok().filter(|key| key.len() == KEY_BYTES) else {
        return false;
    };
    let public = UnparsedPublicKey::new(&ED25519, &key);
    if public.verify(message.raw.as_bytes(), signature).is_ok() {
        return true;
    }
    off_chain(message, &key).is_some_and(|bytes| public.verify(&bytes, signature).is_ok())
}

/// The message in the form of Solana's off-chain messages.
pub(super) fn off_chain(message: &Message<'_>, key: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(message.raw.len()).ok()?;
    let mut domain = message.domain.as_bytes().to_vec();
    domain.resize(32, 0);
    let (version, ascii, signers) = ([0], [0], [1]);
    let parts: [&[u8]; 8] = [
        b"\xffsolana offchain",
        &version,
        &domain,
        &ascii,
        &signers,
        key,
        &length.to_le_bytes(),
        message.raw.as_bytes(),
    ];
    Some(parts.concat())
}
