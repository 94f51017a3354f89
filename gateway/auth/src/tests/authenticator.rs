//! A software WebAuthn authenticator for tests, which can also send incorrect responses.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use minicbor::Encoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::webauthn::encode;

/// Flags of WebAuthn authenticator data: user present, user verified.
pub(super) const PRESENT: u8 = 0x01;
pub(super) const VERIFIED: u8 = 0x04;

pub(super) struct Authenticator {
    key: EcdsaKeyPair,
    pub(super) id: Vec<u8>,
    pub(super) counter: u32,
    pub(super) flags: u8,
    pub(super) origin: String,
    pub(super) party: String,
    pub(super) user_handle: String,
}

impl Authenticator {
    pub(super) fn new(origin: &str, party: &str) -> Self {
        Self {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap(),
            id: rand::random::<[u8; 16]>().to_vec(),
            counter: 0,
            flags: PRESENT | VERIFIED,
            origin: origin.to_owned(),
            party: party.to_owned(),
            user_handle: String::new(),
        }
    }

    fn client_data(&self, kind: &str, challenge: &str) -> Vec<u8> {
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
            .into_bytes()
    }

    fn data(&self, more_flags: u8) -> Vec<u8> {
        let hash = Sha256::digest(self.party.as_bytes());
        [hash.as_slice(), &[self.flags | more_flags], &self.counter.to_be_bytes()].concat()
    }

    fn public_key(&self) -> Vec<u8> {
        let (_, point) = self.key.public_key().as_ref().split_first().unwrap();
        let (x, y) = point.split_at(32);
        let mut key = Vec::new();
        let mut encoder = Encoder::new(&mut key);
        encoder.map(5).unwrap().i64(1).unwrap().i64(2).unwrap().i64(3).unwrap().i64(-7).unwrap();
        encoder.i64(-1).unwrap().i64(1).unwrap().i64(-2).unwrap().bytes(x).unwrap().i64(-3).unwrap().bytes(y).unwrap();
        key
    }

    /// Creates the authenticator's response to the options of a registration.
    pub(super) fn register(&mut self, options: &Value) -> Value {
        self.user_handle = options["user"]["id"].as_str().unwrap().to_owned();
        let length = u16::try_from(self.id.len()).unwrap().to_be_bytes();
        let data = [self.data(0x40), vec![0; 16], length.to_vec(), self.id.clone(), self.public_key()].concat();
        let mut object = Vec::new();
        let mut encoder = Encoder::new(&mut object);
        encoder.map(3).unwrap().str("fmt").unwrap().str("none").unwrap().str("attStmt").unwrap().map(0).unwrap();
        encoder.str("authData").unwrap().bytes(&data).unwrap();
        let client_data = self.client_data("webauthn.create", options["challenge"].as_str().unwrap());
        json!({
            "id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "response": {
                "clientDataJSON": encode(&client_data), "attestationObject": encode(&object), "transports": ["internal", "x"],
            },
        })
    }

    /// Creates the authenticator's response to the options of an authentication, and increments the signature counter.
    pub(super) fn authenticate(&mut self, options: &Value) -> Value {
        self.counter += 1;
        let data = self.data(0);
        let client_data = self.client_data("webauthn.get", options["challenge"].as_str().unwrap());
        let signed = [data.as_slice(), Sha256::digest(&client_data).as_slice()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        json!({
            "id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "response": {
                "clientDataJSON": encode(&client_data), "authenticatorData": encode(&data),
                "signature": encode(signature.as_ref()), "userHandle": self.user_handle,
            },
        })
    }
}
