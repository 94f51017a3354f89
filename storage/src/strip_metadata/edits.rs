//! Changes to a file: ranges, and the bytes that come in their place.

use std::ops::Range;

use bytes::Bytes;

/// The most changes to one file. A picture has some ten; what a crafted one has beyond these stays in it.
const MAX_EDITS: usize = 4096;
/// The most new bytes of one file: a header and a few entries.
const MAX_NEW_BYTES: usize = 1024 * 1024;

/// Changes to a file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Edits {
    edits: Vec<(Range<u64>, Filling)>,
    new_bytes: usize,
}

/// What comes in the place of a range.
#[derive(Debug, PartialEq)]
enum Filling {
    Bytes(Bytes),
    /// As many zeros.
    Zeros,
}

impl Edits {
    /// Leaves bytes out.
    pub(super) fn remove(&mut self, range: Range<u64>) {
        self.replace(range, Bytes::new());
    }

    /// Puts bytes in the place of others.
    pub(super) fn replace(&mut self, range: Range<u64>, with: impl Into<Bytes>) {
        let with = with.into();
        self.new_bytes = self.new_bytes.saturating_add(with.len());
        if self.new_bytes <= MAX_NEW_BYTES {
            self.add(range, Filling::Bytes(with));
        }
    }

    /// Makes bytes zeros, where what follows must stay where it is.
    pub(super) fn blank(&mut self, range: Range<u64>) {
        self.add(range, Filling::Zeros);
    }

    fn add(&mut self, range: Range<u64>, with: Filling) {
        if self.edits.len() < MAX_EDITS && !range.is_empty() {
            self.edits.push((range, with));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// By how many bytes the file becomes shorter.
    pub(super) fn saved(&self) -> u64 {
        let (old, new) = self.edits.iter().fold((0, 0), |(old, new), (range, with)| match with {
            Filling::Bytes(with) => (old + (range.end - range.start), new + with.len() as u64),
            Filling::Zeros => (old, new),
        });
        u64::saturating_sub(old, new)
    }

    /// The file's pieces in order: ranges of the old one, and new bytes. Of changes that overlap the first counts.
    pub(super) fn pieces(mut self, size: u64) -> Vec<Piece> {
        self.edits.sort_by_key(|(range, _)| range.start);
        let (mut pieces, mut at) = (Vec::with_capacity(2 * self.edits.len() + 1), 0);
        for (range, with) in self.edits {
            if range.start < at || range.end > size {
                continue;
            }
            pieces.push(Piece::Old(at..range.start));
            at = range.end;
            pieces.push(match with {
                Filling::Bytes(bytes) => Piece::New(bytes),
                Filling::Zeros => Piece::Zeros(range.end - range.start),
            });
        }
        pieces.push(Piece::Old(at..size));
        pieces.retain(|piece| !matches!(piece, Piece::Old(range) if range.is_empty()));
        pieces
    }
}

/// A piece of the changed file.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Old(Range<u64>),
    New(Bytes),
    /// So many zeros.
    Zeros(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_in_order_and_do_not_overlap() {
        let mut edits = Edits::default();
        edits.remove(8..10);
        edits.replace(2..4, "x");
        edits.remove(3..5);
        edits.remove(9..99);
        edits.blank(6..7);
        let new = |text: &'static str| Piece::New(Bytes::from_static(text.as_bytes()));
        let expected = [Piece::Old(0..2), new("x"), Piece::Old(4..6), Piece::Zeros(1), Piece::Old(7..8), new("")];
        assert_eq!(edits.pieces(10), expected);
    }
}
