//! Restores a base backup: unpacks the parts of the base backup into the database cluster's folder. pg_verifybackup later compares the folder with
//! PostgreSQL's own `backup_manifest`.

use std::io::{self, Read};

use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::Step;
use super::staging::Draft;
use crate::encryption::Opener;
use crate::error::{BackupError, Result, blocking};
use crate::inventory::Base;
use crate::layout;
use crate::repository::Repository;
use crate::unpack::{self, Limits};

/// Number of base backup parts that are fetched ahead of unpacking.
const FETCHED_AHEAD: usize = 4;
/// Maximum number of files and folders of a database cluster. A database with a million tables has fewer.
const MAX_ENTRIES: u64 = 16 << 20;
/// Maximum depth of folders in a database cluster.
const MAX_DEPTH: usize = 16;

pub(super) async fn restore(
    repository: &Repository,
    opener: &Opener,
    base: &Base,
    draft: &Draft,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<()> {
    let manifest = &base.manifest;
    refuse_foreign_parts(base)?;
    let limits = Limits { bytes: manifest.bytes, entries: MAX_ENTRIES, depth: MAX_DEPTH };
    let (sender, receiver) = mpsc::channel::<Vec<u8>>(FETCHED_AHEAD);
    let (folder, account) = (draft.cluster.clone(), draft.account);
    let unpacking = tokio::spawn(blocking(move || {
        let archive = Parts { receiver, current: io::Cursor::new(Vec::new()) };
        unpack::unpack(archive, &folder, limits, |_| true, |path| Ok(account.own(path)?))?;
        // Empty pg_wal: PostgreSQL's `backup_manifest` does not cover it, and the WAL is restored separately.
        let log = folder.join("pg_wal");
        unpack::empty(&log)?;
        account.make_folder(&log)?;
        account.make_folder(&folder)?;
        Ok(())
    }));
    let mut fetched = futures_util::stream::iter(&manifest.parts)
        .map(|part| async move {
            let bytes = repository.get(opener, &part.name).await?;
            match hex::encode(Sha256::digest(&bytes)) == part.sha256 {
                true => Ok(bytes),
                false => Err(BackupError::damaged(&part.name, "it is not the part that the manifest names")),
            }
        })
        .buffered(FETCHED_AHEAD);
    let mut done = 0;
    let mut failure = None;
    while let Some(bytes) = fetched.next().await {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        done += bytes.len() as u64;
        if sender.send(bytes).await.is_err() {
            // Stop sending, because unpacking has failed. The error of the unpacking thread is returned below.
            break;
        }
        report(Step::Base, done, manifest.bytes);
    }
    drop(sender);
    // If an error is returned, the caller deletes the folder. Therefore wait first until the unpacking thread has stopped writing to it.
    let unpacked = unpacking.await.map_err(|_| BackupError::Stopped)?;
    failure.map_or(unpacked, Err)
}

/// Refuses a manifest that names parts outside its own base backup.
fn refuse_foreign_parts(base: &Base) -> Result<()> {
    let own = |number| layout::base_part(&base.series, &base.id, number);
    match base.manifest.parts.iter().enumerate().find(|(number, part)| part.name != own(*number)) {
        None => Ok(()),
        Some((_, part)) => Err(BackupError::not_authentic(
            &part.name,
            "the manifest names it, and it is of no base backup of that name",
        )),
    }
}

/// The parts of a base backup, read as one byte stream.
struct Parts {
    receiver: mpsc::Receiver<Vec<u8>>,
    current: io::Cursor<Vec<u8>>,
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.current.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.receiver.blocking_recv() {
                Some(part) => self.current = io::Cursor::new(part),
                None => return Ok(0),
            }
        }
    }
}
