//! The dump that `cloch db restore` executes: a private copy of the file. The seal of this copy is verified.
//!
//! The copy has no name in the file system, so no other program can change it. Therefore the executed bytes are the verified bytes, even if
//! the original file is replaced, changed or extended meanwhile.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use uuid::Uuid;

use super::dump_seal::{Seal, SealError, SealKey, VerifyError};
use crate::config::Config;
use crate::data_dir_lock;
use crate::error::CommandError;

/// Size of the parts in which a file is copied.
const CHUNK_BYTES: usize = 1024 * 1024;
/// Number of bytes at the beginning of a file that show its format.
const HEAD_BYTES: usize = 262;
/// First bytes of PostgreSQL's custom format.
const CUSTOM: &[u8] = b"PGDMP";
/// End of the head of a tar archive, which is another format of pg_dump.
const TAR: &[u8] = b"ustar";
/// First bytes of compressed files, and the names of the formats.
const COMPRESSED: [(&[u8], &str); 6] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
];

/// The file to restore.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) file: &'a Path,
    /// Whether the operator trusts the file's author, so that the file needs no seal.
    pub(super) is_trusted: bool,
}

impl Source<'_> {
    /// Returns the dump for pg_restore, without its seal. Unless the file is trusted, it must have the seal of this project.
    pub(super) async fn open(self, config: &Config) -> Result<File, CommandError> {
        let named = |error: io::Error| format!("{}: {error}", self.file.display());
        let mut input = File::open(self.file).map_err(named)?;
        let metadata = input.metadata().map_err(named)?;
        if metadata.is_dir() {
            return Err(format!(
                "{} is a folder: restore the file that `cloch db dump` has written",
                self.file.display()
            )
            .into());
        }
        if metadata.is_file() {
            // Check a regular file before copying it. A pipe can be read only once, so it is checked after it was copied.
            self.inspect(&input)?;
        }
        let key = if self.is_trusted { None } else { Some(self.key(config)?) };
        data_dir_lock::make(&config.data)?;
        let mut copy = unnamed(&config.data)?;
        copy_all(&mut input, &mut copy).await.map_err(|error| {
            format!("{}: cannot be copied into the data folder {}: {error}", self.file.display(), config.data.display())
        })?;
        let seal = self.inspect(&copy)?;
        match (&key, &seal) {
            (Some(key), Some(seal)) => key.verify(&copy, seal).await.map_err(|error| self.refused(error))?,
            (Some(_), None) => return Err(self.refused(SealError::Missing).into()),
            (None, _) => tracing::warn!("restore: the dump's author is trusted, its seal is not verified (--trust)"),
        }
        if let Some(seal) = seal {
            copy.set_len(seal.content)?;
        }
        copy.rewind()?;
        Ok(copy)
    }

    /// Refuses a format that pg_restore cannot read, and an untrusted file without a seal. Returns the seal, which is not verified yet.
    fn inspect(self, file: &File) -> Result<Option<Seal>, CommandError> {
        if let Some(problem) = wrong_format(file)? {
            return Err(format!("{} {problem}", self.file.display()).into());
        }
        match Seal::read(file) {
            Ok(seal) => Ok(Some(seal)),
            Err(VerifyError::Seal(_)) if self.is_trusted => Ok(None),
            Err(error) => Err(self.refused(error).into()),
        }
    }

    fn key(self, config: &Config) -> Result<SealKey, CommandError> {
        if !config.secrets_file().exists() && !config.has_cluster() {
            return Err(self
                .refused(format!(
                    "the data folder {} has no secrets.toml, whose key verifies the file: copy secrets.toml of the server that was dumped \
                     into it",
                    config.data.display()
                ))
                .into());
        }
        Ok(SealKey::new(&config.secrets()?.dump_seal_key()?)?)
    }

    fn refused(self, reason: impl Display) -> String {
        format!(
            "{} is not restored: {reason}. A restore executes the file as the database's superuser, so its author can run programs on this \
             machine. If you trust the author with this machine, restore it with --trust",
            self.file.display()
        )
    }
}

/// Creates a file without a name. Only this process can open it, and it disappears when the process ends.
fn unnamed(folder: &Path) -> Result<File, CommandError> {
    let path = folder.join(format!("restore-{}.partial", Uuid::new_v4()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
    let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

async fn copy_all(input: &mut File, output: &mut File) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return Ok(());
        }
        output.write_all(chunk.get(..read).unwrap_or_default())?;
        // At this point a signal can stop the command.
        tokio::task::yield_now().await;
    }
}

/// Returns the description of a file that has none of the formats that pg_restore reads from a file. `None` for a file in a supported
/// format.
fn wrong_format(file: &File) -> io::Result<Option<String>> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let mut part = [0; HEAD_BYTES];
    while head.len() < HEAD_BYTES {
        match file.read_at(&mut part, head.len() as u64)? {
            0 => break,
            read => head.extend_from_slice(part.get(..read.min(HEAD_BYTES - head.len())).unwrap_or_default()),
        }
    }
    if head.starts_with(CUSTOM) || (head.len() == HEAD_BYTES && head.ends_with(TAR)) {
        return Ok(None);
    }
    if head.is_empty() {
        return Ok(Some("is empty".to_owned()));
    }
    let compressed = COMPRESSED.iter().find(|(mark, _)| head.starts_with(mark));
    Ok(Some(match compressed {
        Some((_, name)) => format!("is compressed ({name}): decompress it first"),
        None => "is no dump in PostgreSQL's custom or tar format. SQL is imported with `cloch import --dir`".to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_are_named() {
        let tar = [vec![0; 257], b"ustar\0".to_vec()].concat();
        for (bytes, expected) in [
            (b"PGDMP\x01".as_slice(), None),
            (&tar, None),
            (b"", Some("is empty")),
            (b"\x1f\x8b\x08", Some("gzip")),
            (b"\x28\xb5\x2f\xfd", Some("zstd")),
            (b"COPY t FROM PROGRAM 'id';", Some("cloch import --dir")),
            (b"PGDM", Some("custom or tar format")),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            let problem = wrong_format(&file).unwrap();
            assert_eq!(problem.is_some(), expected.is_some(), "{problem:?}");
            assert!(problem.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }

    #[test]
    fn the_copy_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut copy = unnamed(folder.path()).unwrap();
        copy.write_all(b"bytes").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
