//! Ships the write-ahead log to the backup target: full segments, and new bytes of the unfinished segment.
//!
//! The WAL is read from the database cluster's pg_wal folder, up to the position that PostgreSQL has flushed. A physical replication slot keeps
//! segments there until they are copied; `max_slot_wal_keep_size` limits their total size.

use std::collections::HashMap;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use bytes::Bytes;

use crate::error::{BackupError, Result, blocking};
use crate::layout;
use crate::lsn::{Lsn, segment_name};
use crate::repository::Repository;

/// Maximum number of pieces of the unfinished WAL segment in the backup target. When the segment has this number of pieces, the next piece
/// replaces all of them.
const MAX_PIECES: usize = 60;
/// Maximum number of pieces of a full WAL segment that are not joined. A busy database fills a segment within seconds. Joining its few
/// pieces would double the work of compression and encryption.
const MAX_PIECES_OF_FULL: usize = 16;

/// A piece (range of bytes) of a WAL segment in the backup target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Name of the file in the backup target.
    pub name: String,
    /// Name of the WAL segment.
    pub segment: String,
    /// Offset of the piece's first byte in the segment.
    pub from: u64,
    /// Offset after the piece's last byte in the segment.
    pub to: u64,
}

impl Piece {
    /// Parses the name of a file in the backup target. Returns `None` for files that are not WAL pieces.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let (segment, range) = name.split_once("/wal/")?.1.split_once('.')?;
        let (from, to) = range.split_once('-')?;
        let (from, to) = (u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?);
        Some(Self { name: name.to_owned(), segment: segment.to_owned(), from, to })
    }
}

/// Returns the WAL pieces that contain one segment from its beginning without a gap, and the offset where these pieces end.
#[must_use]
pub fn chain<'a>(pieces: &'a [Piece], segment: &str) -> (Vec<&'a Piece>, u64) {
    let own: Vec<&Piece> = pieces.iter().filter(|piece| piece.segment == segment).collect();
    chain_of(&own)
}

/// Returns for each WAL segment the offset up to which the WAL pieces contain the segment without a gap.
pub(crate) fn ends(pieces: &[Piece]) -> HashMap<&str, u64> {
    let mut own: HashMap<&str, Vec<&Piece>> = HashMap::new();
    for piece in pieces {
        own.entry(piece.segment.as_str()).or_default().push(piece);
    }
    own.into_iter().map(|(segment, pieces)| (segment, chain_of(&pieces).1)).collect()
}

fn chain_of<'a>(own: &[&'a Piece]) -> (Vec<&'a Piece>, u64) {
    let (mut chain, mut end) = (Vec::new(), 0);
    while let Some(next) = own.iter().filter(|piece| piece.from == end && piece.to > end).max_by_key(|piece| piece.to) {
        chain.push(*next);
        end = next.to;
    }
    (chain, end)
}

/// Lists the WAL pieces of a backup series in the backup target.
pub(crate) async fn list(repository: &Repository, series: &str) -> Result<Vec<Piece>> {
    let listed = repository.target.list(&layout::folder(series, "wal")).await?;
    Ok(listed.iter().filter_map(|entry| Piece::parse(&entry.name)).collect())
}

/// Copier of the WAL of one timeline into one backup series.
#[derive(Debug)]
pub(crate) struct WalShipper {
    folder: PathBuf,
    timeline: u32,
    segment_bytes: u64,
    series: String,
    /// WAL position up to which the backup target contains the WAL without a gap.
    shipped: Lsn,
    /// Pieces of the unfinished segment in the backup target.
    pieces: Vec<String>,
}

impl WalShipper {
    /// Creates a copier that continues after the last WAL position in the backup target. It starts with the segment at the replication
    /// slot's position. Only WAL pieces that this server has signed count, because forged WAL in the target would otherwise prevent the
    /// real WAL from being copied.
    pub(crate) async fn resume(
        repository: &Repository,
        series: &str,
        folder: PathBuf,
        timeline: u32,
        segment_bytes: u64,
        kept_from: Lsn,
    ) -> Result<Self> {
        let first = segment_name(timeline, kept_from.segment(segment_bytes).0, segment_bytes);
        let mut pieces = Vec::new();
        for piece in list(repository, series).await?.into_iter().filter(|piece| piece.segment >= first) {
            match repository.check(&piece.name).await {
                Ok(()) => pieces.push(piece),
                // Damaged or missing WAL pieces are copied again.
                Err(BackupError::Damaged { .. } | BackupError::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let (mut number, _) = kept_from.segment(segment_bytes);
        loop {
            let segment = segment_name(timeline, number, segment_bytes);
            let (_, end) = chain(&pieces, &segment);
            if end >= segment_bytes {
                number += 1;
                continue;
            }
            let pieces =
                pieces.iter().filter(|piece| piece.segment == segment).map(|piece| piece.name.clone()).collect();
            let shipped = Lsn(number * segment_bytes + end);
            return Ok(Self { folder, timeline, segment_bytes, series: series.to_owned(), shipped, pieces });
        }
    }

    pub(crate) fn shipped(&self) -> Lsn {
        self.shipped
    }

    /// Returns the first WAL position that the replication slot must keep: the beginning of the unfinished segment.
    pub(crate) fn keep_from(&self) -> Lsn {
        Lsn(self.shipped.0 - self.shipped.0 % self.segment_bytes)
    }

    /// Copies the WAL up to `to`, a position up to which PostgreSQL has flushed its WAL.
    pub(crate) async fn ship(&mut self, repository: &Repository, to: Lsn) -> Result<()> {
        while self.shipped < to {
            let (number, offset) = self.shipped.segment(self.segment_bytes);
            let end = (to.0 - number * self.segment_bytes).min(self.segment_bytes);
            let is_full = end == self.segment_bytes;
            let is_joined = self.pieces.len() >= if is_full { MAX_PIECES_OF_FULL } else { MAX_PIECES };
            let from = if is_joined { 0 } else { offset };
            let segment = segment_name(self.timeline, number, self.segment_bytes);
            let bytes = self.read(&segment, from, end).await?;
            let name = layout::wal_piece(&self.series, &segment, from, end);
            repository.put(&name, bytes).await?;
            self.shipped = Lsn(number * self.segment_bytes + end);
            let replaced = if is_joined { std::mem::take(&mut self.pieces) } else { Vec::new() };
            match is_full {
                true => self.pieces.clear(),
                false => self.pieces.push(name.clone()),
            }
            for old in replaced.iter().filter(|old| **old != name) {
                repository.target.delete(old).await?;
            }
        }
        Ok(())
    }

    async fn read(&self, segment: &str, from: u64, to: u64) -> Result<Bytes> {
        let path = self.folder.join(segment);
        blocking(move || {
            let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(0)];
            let file = std::fs::File::open(&path).map_err(BackupError::io(&path))?;
            file.read_exact_at(&mut bytes, from).map_err(BackupError::io(&path))?;
            Ok(bytes.into())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;

    use super::*;
    use crate::target::Target;
    use crate::trust::Encryption;

    #[test]
    fn pieces_join_without_a_gap() {
        let piece = |range: &str| Piece::parse(&format!("series/s/wal/000000010000000000000003.{range}"));
        let pieces: Vec<Piece> = ["00000000-00000100", "00000100-00000200", "00000000-00000180", "00000300-00000400"]
            .iter()
            .filter_map(|r| piece(r))
            .collect();
        assert_eq!(pieces.len(), 4);
        let (_, end) = chain(&pieces, "000000010000000000000003");
        assert_eq!(end, 0x180, "the longest piece from an offset wins; what is behind a gap does not count");
        assert_eq!(chain(&pieces, "000000010000000000000004").1, 0);
        let (joined, end) = chain(pieces.get(..2).unwrap_or_default(), "000000010000000000000003");
        assert_eq!((joined.len(), end), (2, 0x200));
    }

    #[tokio::test]
    async fn a_segment_that_filled_fast_stays_in_its_pieces() -> Result<()> {
        const SEGMENT_BYTES: u64 = 1 << 20;
        let folder = tempfile::tempdir().map_err(BackupError::io("a folder"))?;
        let place = |name: &str| folder.path().join(name);
        let target = Target::open(&place("target").to_string_lossy(), &Default::default())?;
        let passphrase = Secret::from("a passphrase that is long enough".to_owned());
        let repository =
            Repository::open(target, "club", &Encryption::Passphrase(passphrase.clone()), None, None).await?;
        let opener = repository.opener(&passphrase).await?;
        let log = |number| segment_name(1, number, SEGMENT_BYTES);
        let content: Vec<u8> = (0..SEGMENT_BYTES).map(|n| n.to_le_bytes().iter().fold(7, |a, b| a ^ b)).collect();
        for number in 1..=3 {
            std::fs::write(place(&log(number)), &content).map_err(BackupError::io("a segment"))?;
        }
        let resume =
            || WalShipper::resume(&repository, "s", folder.path().to_owned(), 1, SEGMENT_BYTES, Lsn(SEGMENT_BYTES));

        let mut shipper = resume().await?;
        // Ship the first segment in 4 steps and the second segment in 40 steps.
        for step in
            (1..=4).map(|n| n * SEGMENT_BYTES / 4).chain((1..=40).map(|n| SEGMENT_BYTES + n * SEGMENT_BYTES / 40))
        {
            shipper.ship(&repository, Lsn(SEGMENT_BYTES + step)).await?;
        }
        let pieces = list(&repository, "s").await?;
        let count = |number| pieces.iter().filter(|piece| piece.segment == log(number)).count();
        assert_eq!([count(1), count(2)], [4, 1]);
        for number in 1..=2 {
            let mut shipped = Vec::new();
            for piece in chain(&pieces, &log(number)).0 {
                shipped.extend(repository.get(&opener, &piece.name).await?);
            }
            assert!(shipped == content, "segment {number} is what it was");
        }
        assert_eq!(resume().await?.shipped(), Lsn(3 * SEGMENT_BYTES), "it goes on behind both");
        Ok(())
    }
}
