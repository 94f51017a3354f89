//! The base backup: its parts become the cluster's folder, which pg_verifybackup compares with PostgreSQL's own manifest.

use std::io::{self, Read};

use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::Step;
use super::draft::Draft;
use crate::error::{BackupError, Result, blocking};
use crate::inventory::Base;
use crate::repository::Repository;
use crate::seal::Opener;

/// Parts that are fetched ahead.
const FETCHED_AHEAD: usize = 4;

pub(super) async fn restore(
    repository: &Repository,
    opener: &Opener,
    base: &Base,
    draft: &Draft,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<()> {
    let manifest = &base.manifest;
    let (sender, receiver) = mpsc::channel::<Vec<u8>>(FETCHED_AHEAD);
    let (folder, account) = (draft.cluster.clone(), draft.account);
    let unpacking = tokio::spawn(blocking(move || {
        let mut archive = tar::Archive::new(Parts { receiver, current: io::Cursor::new(Vec::new()) });
        archive.unpack(&folder).map_err(BackupError::io(&folder))?;
        let unpacked = walkdir::WalkDir::new(&folder).into_iter().filter_map(std::result::Result::ok);
        // A link of a forged archive could lead to any file of this machine.
        for entry in unpacked.filter(|entry| !entry.path_is_symlink()) {
            account.own(entry.path())?;
        }
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
    while let Some(bytes) = fetched.next().await {
        let bytes = bytes?;
        done += bytes.len() as u64;
        if sender.send(bytes).await.is_err() {
            // Unpacking has ended early; its error says why.
            break;
        }
        report(Step::Base, done, manifest.bytes);
    }
    drop(sender);
    unpacking.await.map_err(|_| BackupError::Stopped)?
}

/// The parts as one stream.
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
