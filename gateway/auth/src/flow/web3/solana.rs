//! Verifies signatures of Solana wallets (Ed25519). Most wallets sign the message itself; hardware wallets sign the message wrapped as an
//! off-chain message.

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::Message;
use crate::error::{AuthError, Result};

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
    if is_of_small_order(&key) {
        return false;
    }
    let public = UnparsedPublicKey::new(&ED25519, &key);
    if public.verify(message.raw.as_bytes(), signature).is_ok() {
        return true;
    }
    off_chain(message, &key).is_some_and(|bytes| public.verify(&bytes, signature).is_ok())
}

/// The points of edwards25519 whose order divides eight, and their non-canonical encodings, without the sign bit of x. Anyone can create
/// signatures that verify with one of these points as the public key, without a private key (RFC 8032, section 8.9). libsodium refuses the
/// same points.
const SMALL_ORDER: [[u8; KEY_BYTES]; 7] = [
    [0; 32],
    number(0x01, 0x00, 0x00),
    number(0xec, 0xff, 0x7f),
    number(0xed, 0xff, 0x7f),
    number(0xee, 0xff, 0x7f),
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// Builds a 32-byte little-endian number from its first byte, the value of all bytes between, and its last byte.
const fn number(first: u8, between: u8, last: u8) -> [u8; KEY_BYTES] {
    let mut bytes = [between; KEY_BYTES];
    let [low, .., high] = &mut bytes;
    *low = first;
    *high = last;
    bytes
}

fn is_of_small_order(key: &[u8]) -> bool {
    let Ok(mut point) = <[u8; KEY_BYTES]>::try_from(key) else { return true };
    let [.., high] = &mut point;
    *high &= 0x7f;
    SMALL_ORDER.contains(&point)
}

/// Wraps the sign-in message in Solana's off-chain message format. `None` if the message has more than 65,535 bytes.
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
