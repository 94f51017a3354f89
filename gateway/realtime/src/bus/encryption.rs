//! Encryption of bus messages: only nodes with the project's secret can write and read bus messages.
//!
//! A message on the wire is `node (16 bytes), number (8 bytes), AES-256-GCM of the JSON`. The encryption key is derived from the secret and
//! the random id of the sending node. The nonce is the message number (`number`), which a node never uses twice.

use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use cloch_core::Secret;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

use crate::peer_messages::Message;

/// Length of a bus message's unencrypted header in bytes: node id and message number.
const HEADER_BYTES: usize = 16 + 8;

#[derive(Serialize)]
struct Written<'a> {
    /// Time of sending in milliseconds since 1970.
    at: u64,
    message: &'a Message,
}

#[derive(Deserialize)]
struct Read {
    at: u64,
    message: Message,
}

pub(super) struct Sealer {
    node: Uuid,
    key: Option<LessSafeKey>,
    number: u64,
}

pub(super) struct Opener {
    secret: Secret,
}

/// A decrypted bus message from a node of this project.
pub(super) struct Opened {
    pub(super) node: Uuid,
    /// Message number, which increases by one with each message of the sending node.
    pub(super) number: u64,
    /// Time of sending by the clock of the sending node, in milliseconds since 1970.
    pub(super) at: u64,
    pub(super) message: Message,
}

impl Sealer {
    /// Creates an encryption key for this process, with a new random node id. The id must be unique to this process, because a nonce must
    /// never be used twice with the same encryption key.
    pub(super) fn new(secret: &Secret) -> Self {
        let node = Uuid::new_v4();
        Self { node, key: key_of(secret, node), number: 0 }
    }

    pub(super) fn node(&self) -> Uuid {
        self.node
    }

    /// Encrypts a message. `None` if the serialisation or the encryption fails.
    pub(super) fn seal(&mut self, message: &Message) -> Option<Vec<u8>> {
        let number = self.number.checked_add(1)?;
        let mut sealed = serde_json::to_vec(&Written { at: now(), message }).ok()?;
        let header = header(self.node, number);
        self.key.as_ref()?.seal_in_place_append_tag(nonce(number), Aad::from(header), &mut sealed).ok()?;
        self.number = number;
        Some([&header[..], &sealed].concat())
    }
}

impl Opener {
    pub(super) fn new(secret: &Secret) -> Self {
        Self { secret: secret.clone() }
    }

    /// Decrypts a message. `None` if the message is malformed or was not encrypted by a node of this project.
    pub(super) fn open(&self, wire: &[u8]) -> Option<Opened> {
        let (header, sealed) = wire.split_at_checked(HEADER_BYTES)?;
        let (node, number) = header.split_at_checked(16)?;
        let node = Uuid::from_slice(node).ok()?;
        let number = u64::from_be_bytes(number.try_into().ok()?);
        let mut sealed = sealed.to_vec();
        let plain = key_of(&self.secret, node)?.open_in_place(nonce(number), Aad::from(header), &mut sealed).ok()?;
        let Read { at, message } = serde_json::from_slice(plain).ok()?;
        Some(Opened { node, number, at, message })
    }
}

fn header(node: Uuid, number: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let bytes = node.as_bytes().iter().copied().chain(number.to_be_bytes());
    header.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
    header
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    bytes.iter_mut().skip(4).zip(number.to_be_bytes()).for_each(|(place, byte)| *place = byte);
    Nonce::assume_unique_for_key(bytes)
}

fn key_of(secret: &Secret, node: Uuid) -> Option<LessSafeKey> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).ok()?;
    mac.update(b"cloch bus");
    mac.update(node.as_bytes());
    let key = UnboundKey::new(&AES_256_GCM, &mac.finalize().into_bytes()).ok()?;
    Some(LessSafeKey::new(key))
}

/// Returns the current time in milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_by_who_has_the_secret() {
        let secret = Secret::new("a secret");
        let (mut sealer, opener) = (Sealer::new(&secret), Opener::new(&secret));
        for number in 1..3 {
            let wire = sealer.seal(&Message::Hello { wants_state: true, figures: None }).unwrap();
            let opened = opener.open(&wire).unwrap();
            assert_eq!((opened.node, opened.number), (sealer.node(), number));
            assert!(matches!(opened.message, Message::Hello { wants_state: true, .. }));
            assert!(Opener::new(&Secret::new("another")).open(&wire).is_none());
        }
    }

    #[test]
    fn what_is_changed_or_cut_is_refused() {
        let secret = Secret::new("a secret");
        let wire = Sealer::new(&secret).seal(&Message::Bye).unwrap();
        let opener = Opener::new(&secret);
        for at in 0..wire.len() {
            let mut changed = wire.clone();
            changed[at] ^= 1;
            assert!(opener.open(&changed).is_none(), "{at}");
            assert!(opener.open(&wire[..at]).is_none(), "{at}");
        }
        assert!(opener.open(&wire).is_some());
    }
}
