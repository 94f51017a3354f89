//! Parses authenticator data (WebAuthn, section 6.1): flags, signature counter and, in a registration, the new WebAuthn credential.

use minicbor::Decoder;
use minicbor::data::Type;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::{Refusal, RelyingParty};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const BACKUP_ELIGIBLE: u8 = 0x08;
const BACKED_UP: u8 = 0x10;
const HAS_CREDENTIAL: u8 = 0x40;
/// Maximum number of entries in an attestation object. The specified entries are `fmt`, `attStmt` and `authData`.
const MAX_ATTESTATION_ENTRIES: u64 = 8;

pub(super) struct AuthenticatorData {
    party_hash: [u8; 32],
    flags: u8,
    pub(super) sign_count: u32,
    pub(super) credential: Option<NewCredential>,
}

/// The attested credential data: the WebAuthn credential that a registration creates.
pub(super) struct NewCredential {
    pub(super) aaguid: Uuid,
    pub(super) id: Vec<u8>,
    /// The credential's public key in COSE encoding.
    pub(super) public_key: Vec<u8>,
}

impl AuthenticatorData {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let malformed = || Refusal::Malformed;
        let (party_hash, rest) = bytes.split_first_chunk::<32>().ok_or_else(malformed)?;
        let (flags, rest) = rest.split_first().ok_or_else(malformed)?;
        let (counter, rest) = rest.split_first_chunk::<4>().ok_or_else(malformed)?;
        let credential = if flags & HAS_CREDENTIAL == 0 { None } else { Some(NewCredential::read(rest)?) };
        Ok(Self { party_hash: *party_hash, flags: *flags, sign_count: u32::from_be_bytes(*counter), credential })
    }

    /// Checks that the credential belongs to this relying party, and that the user was present and, if required, verified.
    pub(super) fn check(&self, party: &RelyingParty) -> Result<(), Refusal> {
        let expected = Sha256::digest(party.id.as_bytes());
        if !bool::from(self.party_hash.as_slice().ct_eq(expected.as_slice())) {
            return Err(Refusal::RelyingParty);
        }
        if self.flags & USER_PRESENT == 0 {
            return Err(Refusal::UserAbsent);
        }
        if party.requires_verification && self.flags & USER_VERIFIED == 0 {
            return Err(Refusal::UserUnverified);
        }
        if self.is_backed_up() && !self.is_backup_eligible() {
            return Err(Refusal::BackupState);
        }
        Ok(())
    }

    pub(super) fn is_backup_eligible(&self) -> bool {
        self.flags & BACKUP_ELIGIBLE != 0
    }

    pub(super) fn is_backed_up(&self) -> bool {
        self.flags & BACKED_UP != 0
    }
}

impl NewCredential {
    fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let malformed = || Refusal::Malformed;
        let (aaguid, rest) = bytes.split_first_chunk::<16>().ok_or_else(malformed)?;
        let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(malformed)?;
        let (id, key) = rest.split_at_checked(u16::from_be_bytes(*length).into()).ok_or_else(malformed)?;
        // Extension data may follow the public key, so the key's length is determined by parsing it.
        let mut decoder = Decoder::new(key);
        decoder.skip().map_err(|_| Refusal::Malformed)?;
        let public_key = key.get(..decoder.position()).ok_or_else(malformed)?;
        Ok(Self { aaguid: Uuid::from_bytes(*aaguid), id: id.to_vec(), public_key: public_key.to_vec() })
    }
}

/// Extracts the authenticator data from an attestation object (WebAuthn, section 6.5.4), without verifying the attestation statement.
pub(super) fn of_attestation(bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    let malformed = |_| Refusal::Malformed;
    let mut decoder = Decoder::new(bytes);
    let entries = decoder.map().map_err(malformed)?.ok_or(Refusal::Malformed)?;
    if entries > MAX_ATTESTATION_ENTRIES {
        return Err(Refusal::Malformed);
    }
    for _ in 0..entries {
        let name = decoder.str().map_err(malformed)?;
        if name == "authData" && decoder.datatype().map_err(malformed)? == Type::Bytes {
            return decoder.bytes().map(<[u8]>::to_vec).map_err(malformed);
        }
        decoder.skip().map_err(malformed)?;
    }
    Err(Refusal::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(requires_verification: bool) -> RelyingParty {
        RelyingParty { id: "club.example".into(), name: "Club".into(), origins: Vec::new(), requires_verification }
    }

    fn data(party: &str, flags: u8) -> Vec<u8> {
        [Sha256::digest(party.as_bytes()).as_slice(), &[flags], &[0, 0, 0, 7]].concat()
    }

    #[test]
    fn refuses_what_is_cut_off() {
        let whole = [data("club.example", USER_PRESENT | HAS_CREDENTIAL), vec![0; 16], vec![0, 3, 1, 2, 3], vec![0xa0]]
            .concat();
        assert!(AuthenticatorData::read(&whole).is_ok());
        for length in 0..whole.len() {
            assert!(AuthenticatorData::read(whole.get(..length).unwrap_or_default()).is_err(), "{length}");
        }
        for bytes in
            [&b""[..], b"\xa0", b"\xbf", b"\xa1\x01\x02", b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff", b"\x9f\x9f\x9f"]
        {
            assert_eq!(of_attestation(bytes), Err(Refusal::Malformed));
        }
    }

    #[test]
    fn checks_party_and_flags() {
        let check = |own: &str, flags, verification| {
            AuthenticatorData::read(&data(own, flags)).and_then(|data| data.check(&party(verification)))
        };
        assert_eq!(check("evil.example", USER_PRESENT, false), Err(Refusal::RelyingParty));
        assert_eq!(check("club.example", USER_VERIFIED, false), Err(Refusal::UserAbsent));
        assert_eq!(check("club.example", USER_PRESENT, true), Err(Refusal::UserUnverified));
        assert_eq!(check("club.example", USER_PRESENT | BACKED_UP, false), Err(Refusal::BackupState));
        assert_eq!(check("club.example", USER_PRESENT | USER_VERIFIED | BACKED_UP | BACKUP_ELIGIBLE, true), Ok(()));
    }
}
