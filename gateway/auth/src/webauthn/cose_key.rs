//! Parses public keys of authenticators in COSE format (RFC 9052, RFC 9053), and verifies their signatures.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use minicbor::Decoder;
use minicbor::data::Type;

use super::Refusal;

pub(super) const ES256: i64 = -7;
pub(super) const EDDSA: i64 = -8;
pub(super) const RS256: i64 = -257;

/// The label of the key type in a COSE key.
const KEY_TYPE: i64 = 1;
const ALGORITHM: i64 = 3;
/// Maximum number of entries in a COSE key. Keys of supported types have at most five.
const MAX_ENTRIES: u64 = 16;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum PublicKey {
    /// The public key as an uncompressed point on the curve P-256.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
}

#[derive(Default)]
struct Entries {
    key_type: Option<i64>,
    algorithm: Option<i64>,
    curve: Option<i64>,
    /// The byte strings with the labels -1, -2 and -3, in which a COSE key contains the parameters of its type.
    bytes: [Option<Vec<u8>>; 3],
}

impl Entries {
    fn read(key: &[u8]) -> Result<Self, Refusal> {
        let malformed = |_| Refusal::Malformed;
        let mut decoder = Decoder::new(key);
        let count =
            decoder.map().map_err(malformed)?.filter(|count| *count <= MAX_ENTRIES).ok_or(Refusal::Malformed)?;
        let mut entries = Self::default();
        for _ in 0..count {
            let label = decoder.i64().map_err(malformed)?;
            let kind = decoder.datatype().map_err(malformed)?;
            match (label, kind) {
                (-3..=-1, Type::Bytes) => {
                    let value = decoder.bytes().map_err(malformed)?.to_vec();
                    let at = usize::try_from(-1 - label).map_err(|_| Refusal::Malformed)?;
                    *entries.bytes.get_mut(at).ok_or(Refusal::Malformed)? = Some(value);
                }
                (KEY_TYPE, _) => entries.key_type = Some(decoder.i64().map_err(malformed)?),
                (ALGORITHM, _) => entries.algorithm = Some(decoder.i64().map_err(malformed)?),
                (-1, _) => entries.curve = Some(decoder.i64().map_err(malformed)?),
                _ => decoder.skip().map_err(malformed)?,
            }
        }
        Ok(entries)
    }
}

impl PublicKey {
    /// Parses a COSE key. Refuses a key whose algorithm does not match its type and curve.
    pub(super) fn read(key: &[u8]) -> Result<Self, Refusal> {
        let entries = Entries::read(key)?;
        let [first, second, third] = entries.bytes;
        match (entries.key_type, entries.algorithm, entries.curve) {
            (Some(2), Some(ES256), Some(1)) => match (second, third) {
                (Some(x), Some(y)) if x.len() == 32 && y.len() == 32 => {
                    Ok(Self::P256([&[0x04][..], x.as_slice(), y.as_slice()].concat()))
                }
                _ => Err(Refusal::Malformed),
            },
            (Some(1), Some(EDDSA), Some(6)) => {
                second.filter(|x| x.len() == 32).map(Self::Ed25519).ok_or(Refusal::Malformed)
            }
            (Some(3), Some(RS256), None) => match (first, second) {
                (Some(n), Some(e)) => Ok(Self::Rsa { n, e }),
                _ => Err(Refusal::Malformed),
            },
            _ => Err(Refusal::Algorithm),
        }
    }

    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Refusal> {
        let verified = match self {
            Self::P256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature),
            Self::Ed25519(point) => UnparsedPublicKey::new(&ED25519, point).verify(message, signature),
            Self::Rsa { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.map_err(|_| Refusal::Signature)
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use minicbor::Encoder;

    use super::*;

    fn p256(x: &[u8], y: &[u8], algorithm: i64, curve: i64) -> Vec<u8> {
        let mut key = Vec::new();
        let mut encoder = Encoder::new(&mut key);
        encoder.map(5).unwrap().i64(1).unwrap().i64(2).unwrap().i64(3).unwrap().i64(algorithm).unwrap();
        encoder
            .i64(-1)
            .unwrap()
            .i64(curve)
            .unwrap()
            .i64(-2)
            .unwrap()
            .bytes(x)
            .unwrap()
            .i64(-3)
            .unwrap()
            .bytes(y)
            .unwrap();
        key
    }

    #[test]
    fn refuses_other_algorithms_curves_and_lengths() {
        let part = [1; 32];
        assert_eq!(PublicKey::read(&p256(&part, &part, -35, 2)), Err(Refusal::Algorithm));
        assert_eq!(PublicKey::read(&p256(&part, &part, ES256, 2)), Err(Refusal::Algorithm));
        assert_eq!(PublicKey::read(&p256(&part, &part, RS256, 1)), Err(Refusal::Algorithm));
        assert_eq!(PublicKey::read(&p256(&[1; 31], &part, ES256, 1)), Err(Refusal::Malformed));
        for bytes in [&b""[..], b"\x80", b"\xbf", b"\xb8\xff", b"\xa1\x01"] {
            assert_eq!(PublicKey::read(bytes), Err(Refusal::Malformed), "{bytes:?}");
        }
        assert_eq!(PublicKey::read(b"\xa0"), Err(Refusal::Algorithm));
    }

    #[test]
    fn a_signature_is_of_its_key_and_message() {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let (_, point) = pair.public_key().as_ref().split_first().unwrap();
        let (x, y) = point.split_at(32);
        let key = PublicKey::read(&p256(x, y, ES256, 1)).unwrap();
        let signature = pair.sign(&random, b"message").unwrap();
        assert_eq!(key.verify(b"message", signature.as_ref()), Ok(()));
        assert_eq!(key.verify(b"another", signature.as_ref()), Err(Refusal::Signature));
        let other = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let forged = other.sign(&random, b"message").unwrap();
        assert_eq!(key.verify(b"message", forged.as_ref()), Err(Refusal::Signature));

        let pair = Ed25519KeyPair::generate().unwrap();
        let mut encoded = Vec::new();
        let mut encoder = Encoder::new(&mut encoded);
        encoder.map(4).unwrap().i64(1).unwrap().i64(1).unwrap().i64(3).unwrap().i64(EDDSA).unwrap();
        encoder.i64(-1).unwrap().i64(6).unwrap().i64(-2).unwrap().bytes(pair.public_key().as_ref()).unwrap();
        let key = PublicKey::read(&encoded).unwrap();
        assert_eq!(key.verify(b"message", pair.sign(b"message").as_ref()), Ok(()));
        assert_eq!(key.verify(b"another", pair.sign(b"message").as_ref()), Err(Refusal::Signature));
    }
}
