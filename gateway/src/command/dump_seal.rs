//! The seal of a dump, the last line of the file: it proves that `cloch db dump` of this project wrote the file, and that nobody has changed it.
//!
//! A dump contains statements that `cloch db restore` executes as the database's superuser, so its author can run programs. The seal is an
//! HMAC-SHA-256 over the format's name and version, all bytes of the dump, and their number. Its key is in secrets.toml, not in the file.

use std::fmt;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;

use cloch_core::Secret;
use hmac::digest::InvalidLength;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Beginning of a seal: a line feed, which ends the dump, and the name of the format.
const MARK: &[u8] = b"\ncloch-dump-seal ";
/// Version of the format. If the content of the file or the computation changes, the version must change.
const VERSION: &str = "1";
/// Beginning of the authenticated message. Messages for other purposes or other versions begin differently.
const CONTEXT: &[u8] = b"cloch-dump-seal 1\ncloch db dump, PostgreSQL's custom format\n";
/// Message whose HMAC identifies a key.
const KEY_ID_CONTEXT: &[u8] = b"cloch-dump-seal key id";
/// Number of hexadecimal digits of a key's id.
const KEY_ID_DIGITS: usize = 16;
/// Number of bytes at the end of a file that are searched for an invalid seal, in order to report the reason.
const SEARCHED_BYTES: u64 = 64 * 1024;
/// Size of the parts in which a file is read.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Reason why a dump is not accepted as written by this project.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SealError {
    #[error("it has no seal: `cloch db dump` of this version did not write it, or its end is missing")]
    Missing,
    #[error("its seal is not complete: the end of the file is missing")]
    Incomplete,
    #[error("its seal is not at the end: something was appended to the file")]
    Followed,
    #[error("its line ends were changed: copy the file again in binary mode")]
    LineEnds,
    #[error("its seal has the version {0}, which this version of Cloch cannot verify: use a newer version of Cloch")]
    Version(String),
    #[error(
        "its seal was made with another key: use the data folder with the secrets.toml of the server that was dumped, or copy that file \
         into this data folder before its first start"
    )]
    OtherKey,
    #[error("it is not what was written: the file, or its seal, was changed")]
    Changed,
}

/// Error while a seal is verified or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum VerifyError {
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Key of the seals of a project.
pub(super) struct SealKey {
    /// State of the HMAC computation with the key, before the first byte of a message.
    keyed: Hmac<Sha256>,
    /// Identifies the key with which the seal was made. It distinguishes a changed dump from a dump of another project.
    id: String,
}

/// A seal at the end of a file, which may be forged.
pub(super) struct Seal {
    key_id: String,
    code: Vec<u8>,
    /// Number of bytes before the seal.
    pub(super) content: u64,
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealKey({})", self.id)
    }
}

impl SealKey {
    pub(super) fn new(key: &Secret) -> Result<Self, InvalidLength> {
        let keyed = Hmac::<Sha256>::new_from_slice(key.expose().as_bytes())?;
        let mut id = hex::encode(keyed.clone().chain_update(KEY_ID_CONTEXT).finalize().into_bytes());
        id.truncate(KEY_ID_DIGITS);
        Ok(Self { keyed, id })
    }

    /// Appends the seal to a dump.
    pub(super) async fn append(&self, file: &mut File) -> io::Result<()> {
        let length = file.metadata()?.len();
        let code = self.authenticated(file, length).await?.finalize().into_bytes();
        file.seek(SeekFrom::End(0))?;
        file.write_all(MARK)?;
        file.write_all(format!("{VERSION} {} {}\n", self.id, hex::encode(code)).as_bytes())
    }

    /// Verifies that `seal` is this key's seal of the bytes before it. Compares in constant time.
    pub(super) async fn verify(&self, file: &File, seal: &Seal) -> Result<(), VerifyError> {
        if seal.key_id != self.id {
            return Err(SealError::OtherKey.into());
        }
        let code = self.authenticated(file, seal.content).await?;
        Ok(code.verify_slice(&seal.code).map_err(|_| SealError::Changed)?)
    }

    /// Returns the HMAC of the first `length` bytes of a file. Reads it in parts, so that a dump of any size needs the same memory.
    async fn authenticated(&self, file: &File, length: u64) -> io::Result<Hmac<Sha256>> {
        let mut code = self.keyed.clone().chain_update(CONTEXT);
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut offset = 0;
        while offset < length {
            let wanted = usize::try_from(length - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let read = file.read_at(chunk.get_mut(..wanted).unwrap_or_default(), offset)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            code.update(chunk.get(..read).unwrap_or_default());
            offset += read as u64;
            // At this point a signal can stop the command.
            tokio::task::yield_now().await;
        }
        Ok(code.chain_update(length.to_be_bytes()))
    }
}

impl Seal {
    /// Reads the seal at the end of a file without verifying it.
    pub(super) fn read(file: &File) -> Result<Self, VerifyError> {
        let length = file.metadata()?.len();
        let from = length.saturating_sub(SEARCHED_BYTES);
        let mut end = vec![0; usize::try_from(length - from).unwrap_or_default()];
        file.read_exact_at(&mut end, from)?;
        // The last mark is the seal's mark: a row of the dump can contain a mark too.
        let Some(at) = end.windows(MARK.len()).rposition(|bytes| bytes == MARK) else {
            let name = MARK.trim_ascii_start();
            let has_name = end.windows(name.len()).any(|bytes| bytes == name);
            return Err(if has_name { SealError::LineEnds } else { SealError::Missing }.into());
        };
        let (key_id, code) = parse(end.get(at + MARK.len()..).unwrap_or_default())?;
        Ok(Self { key_id, code, content: from + at as u64 })
    }
}

/// Parses what follows the mark: version, id of the key, and the HMAC.
fn parse(text: &[u8]) -> Result<(String, Vec<u8>), SealError> {
    let Some(line_end) = text.iter().position(|&byte| byte == b'\n') else { return Err(SealError::Incomplete) };
    let (line, rest) = text.split_at(line_end);
    let line = str::from_utf8(line).map_err(|_| SealError::Changed)?;
    if line.ends_with('\r') {
        return Err(SealError::LineEnds);
    }
    if rest.len() > 1 {
        return Err(SealError::Followed);
    }
    let mut words = line.split(' ');
    match words.next() {
        Some(VERSION) => {}
        Some(other) if !other.is_empty() && other.len() < 10 && other.bytes().all(|byte| byte.is_ascii_digit()) => {
            return Err(SealError::Version(other.to_owned()));
        }
        _ => return Err(SealError::Changed),
    }
    let (Some(key_id), Some(code), None) = (words.next(), words.next(), words.next()) else {
        return Err(SealError::Changed);
    };
    let code = hex::decode(code).map_err(|_| SealError::Changed)?;
    Ok((key_id.to_owned(), code))
}

#[cfg(test)]
#[path = "dump_seal_tests.rs"]
mod tests;
