//! Computes and compares checksums that clients of the S3 protocol send in addition to the entity tag.

use std::sync::{Arc, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crc::{CRC_32_ISCSI, CRC_64_NVME, Crc, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::{Digest, Sha256};

static CRC32C: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);
static CRC64NVME: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_NVME);

/// A checksum algorithm of the S3 protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Algorithm {
    Crc32,
    Crc32c,
    Crc64nvme,
    Sha1,
    Sha256,
}

impl Algorithm {
    pub(crate) const ALL: [Self; 5] = [Self::Crc32, Self::Crc32c, Self::Crc64nvme, Self::Sha1, Self::Sha256];

    /// Returns the name of the algorithm in XML elements and parameters.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Crc32 => "CRC32",
            Self::Crc32c => "CRC32C",
            Self::Crc64nvme => "CRC64NVME",
            Self::Sha1 => "SHA1",
            Self::Sha256 => "SHA256",
        }
    }

    /// Returns the name of the header or trailer that contains the checksum.
    pub(crate) fn header(self) -> &'static str {
        match self {
            Self::Crc32 => "x-amz-checksum-crc32",
            Self::Crc32c => "x-amz-checksum-crc32c",
            Self::Crc64nvme => "x-amz-checksum-crc64nvme",
            Self::Sha1 => "x-amz-checksum-sha1",
            Self::Sha256 => "x-amz-checksum-sha256",
        }
    }

    pub(crate) fn of_header(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.header().eq_ignore_ascii_case(name))
    }

    fn bytes(self) -> usize {
        match self {
            Self::Crc32 | Self::Crc32c => 4,
            Self::Crc64nvme => 8,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    pub(crate) fn hasher(self) -> Hasher {
        match self {
            Self::Crc32 => Hasher::Crc32(crc32fast::Hasher::new()),
            Self::Crc32c => Hasher::Crc32c(CRC32C.digest()),
            Self::Crc64nvme => Hasher::Crc64nvme(CRC64NVME.digest()),
            Self::Sha1 => Hasher::Sha1(Sha1::new()),
            Self::Sha256 => Hasher::Sha256(Sha256::new()),
        }
    }
}

/// Checksum of a whole object, as stored in the object's row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksum {
    pub(crate) algorithm: Algorithm,
    /// Value of the checksum in base64.
    pub(crate) value: String,
}

impl Checksum {
    /// Returns the checksum in the metadata of an object's row; `None` if there is none.
    pub(crate) fn of_metadata(metadata: Option<&Value>) -> Option<Self> {
        Self::deserialize(metadata?.get("checksum")?).ok()
    }

    /// Sets the checksum in the metadata of an object's row.
    pub(crate) fn describe(&self, metadata: &mut Value) {
        if let Some(map) = metadata.as_object_mut() {
            map.insert("checksum".to_owned(), json!({ "algorithm": self.algorithm, "value": self.value }));
        }
    }

    /// Parses a checksum in a request. `None` if the value is not base64 or has the wrong length.
    pub(crate) fn parse(algorithm: Algorithm, value: &str) -> Option<Self> {
        let bytes = STANDARD.decode(value).ok()?;
        (bytes.len() == algorithm.bytes()).then(|| Self { algorithm, value: value.to_owned() })
    }
}

#[derive(Clone)]
pub(crate) enum Hasher {
    Crc32(crc32fast::Hasher),
    Crc32c(crc::Digest<'static, u32, Table<16>>),
    Crc64nvme(crc::Digest<'static, u64, Table<16>>),
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Crc32(hasher) => hasher.update(bytes),
            Self::Crc32c(hasher) => hasher.update(bytes),
            Self::Crc64nvme(hasher) => hasher.update(bytes),
            Self::Sha1(hasher) => hasher.update(bytes),
            Self::Sha256(hasher) => hasher.update(bytes),
        }
    }

    pub(crate) fn finish(self) -> String {
        match self {
            Self::Crc32(hasher) => STANDARD.encode(hasher.finalize().to_be_bytes()),
            Self::Crc32c(hasher) => STANDARD.encode(hasher.finalize().to_be_bytes()),
            Self::Crc64nvme(hasher) => STANDARD.encode(hasher.finalize().to_be_bytes()),
            Self::Sha1(hasher) => STANDARD.encode(hasher.finalize()),
            Self::Sha256(hasher) => STANDARD.encode(hasher.finalize()),
        }
    }
}

/// Checksum of an upload, set after the whole body is read and its computed checksum matches the checksum that the client sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct VerifiedChecksum(Arc<OnceLock<Checksum>>);

impl VerifiedChecksum {
    pub(crate) fn set(&self, checksum: Checksum) {
        // Only the end of the body sets the value, so it cannot be set already.
        let _ = self.0.set(checksum);
    }

    pub(crate) fn get(&self) -> Option<&Checksum> {
        self.0.get()
    }
}

impl PartialEq for VerifiedChecksum {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published checksums of the text `123456789`, from the CRC catalogue and FIPS 180.
    #[test]
    fn the_published_values() {
        let hex_of = |algorithm: Algorithm| {
            let mut hasher = algorithm.hasher();
            hasher.update(b"1234");
            hasher.update(b"56789");
            hex::encode(STANDARD.decode(hasher.finish()).unwrap())
        };
        assert_eq!(hex_of(Algorithm::Crc32), "cbf43926");
        assert_eq!(hex_of(Algorithm::Crc32c), "e3069283");
        assert_eq!(hex_of(Algorithm::Crc64nvme), "ae8b14860a799888");
        assert_eq!(hex_of(Algorithm::Sha1), "f7c3bc1d808e04732adf679965ccc34ca7ae3441");
        assert_eq!(hex_of(Algorithm::Sha256), "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
    }

    #[test]
    fn a_value_of_another_length_is_none() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Checksum::parse(algorithm, "AAA="), None);
            assert_eq!(Checksum::parse(algorithm, "%%%"), None);
            assert!(Checksum::parse(algorithm, &algorithm.hasher().finish()).is_some());
        }
    }
}
