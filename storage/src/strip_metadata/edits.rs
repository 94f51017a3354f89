//! Collects the edits of a file: byte ranges and their replacements.

use std::ops::Range;

use bytes::Bytes;

/// Maximum number of edits of a file. An image typically needs about ten.
const MAX_EDITS: usize = 4096;
/// Maximum total size of all replacements in bytes. Usually the replacements are a header and a few entries.
const MAX_NEW_BYTES: usize = 1024 * 1024;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Edits {
    edits: Vec<(Range<u64>, Filling)>,
    new_bytes: usize,
    /// Whether [`MAX_EDITS`] or [`MAX_NEW_BYTES`] was exceeded.
    are_too_many: bool,
}

/// The replacement of a byte range.
#[derive(Debug, PartialEq)]
enum Filling {
    Bytes(Bytes),
    /// Zeros of the same length as the range.
    Zeros,
}

impl Edits {
    pub(super) fn remove(&mut self, range: Range<u64>) {
        self.replace(range, Bytes::new());
    }

    pub(super) fn replace(&mut self, range: Range<u64>, with: impl Into<Bytes>) {
        let with = with.into();
        self.new_bytes = self.new_bytes.saturating_add(with.len());
        self.are_too_many |= self.new_bytes > MAX_NEW_BYTES;
        self.add(range, Filling::Bytes(with));
    }

    /// Replaces a byte range with zeros, so that the offsets of later bytes do not change.
    pub(super) fn blank(&mut self, range: Range<u64>) {
        self.add(range, Filling::Zeros);
    }

    fn add(&mut self, range: Range<u64>, with: Filling) {
        if range.is_empty() {
            return;
        }
        self.are_too_many |= self.edits.len() >= MAX_EDITS;
        if !self.are_too_many {
            self.edits.push((range, with));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty() && !self.are_too_many
    }

    /// Returns the number of bytes by which the edits shorten the file.
    pub(super) fn saved(&self) -> u64 {
        let (old, new) = self.edits.iter().fold((0, 0), |(old, new), (range, with)| match with {
            Filling::Bytes(with) => (old + (range.end - range.start), new + with.len() as u64),
            Filling::Zeros => (old, new),
        });
        u64::saturating_sub(old, new)
    }

    /// Returns the pieces of the edited file in order: ranges of the old file and new bytes. `None` if there are too many edits or the
    /// edits overlap. Overlaps are allowed only between ranges that are filled with zeros.
    pub(super) fn pieces(mut self, size: u64) -> Option<Vec<Piece>> {
        if self.are_too_many {
            return None;
        }
        self.edits.sort_by_key(|(range, _)| range.start);
        let (mut pieces, mut at, mut are_zeros) = (Vec::with_capacity(2 * self.edits.len() + 1), 0, false);
        for (mut range, with) in self.edits {
            if range.end > size {
                return None;
            }
            if range.start < at {
                if !(are_zeros && with == Filling::Zeros) {
                    return None;
                }
                range.start = at;
                range.end = range.end.max(at);
            }
            pieces.push(Piece::Old(at..range.start));
            (at, are_zeros) = (range.end, with == Filling::Zeros);
            pieces.push(match with {
                Filling::Bytes(bytes) => Piece::New(bytes),
                Filling::Zeros => Piece::Zeros(range.end - range.start),
            });
        }
        pieces.push(Piece::Old(at..size));
        pieces.retain(|piece| !matches!(piece, Piece::Old(range) if range.is_empty()) && *piece != Piece::Zeros(0));
        Some(pieces)
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Old(Range<u64>),
    New(Bytes),
    /// The given number of zero bytes.
    Zeros(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(change: impl FnOnce(&mut Edits)) -> Option<Vec<Piece>> {
        let mut edits = Edits::default();
        change(&mut edits);
        edits.pieces(10)
    }

    #[test]
    fn changes_that_contradict_each_other_are_refused() {
        let refuses = |change: fn(&mut Edits)| assert_eq!(edits(change), None);
        refuses(|edits| {
            edits.replace(2..4, "x");
            edits.remove(3..5);
        });
        refuses(|edits| {
            edits.blank(2..6);
            edits.replace(3..5, "x");
        });
        refuses(|edits| edits.remove(9..11));
        refuses(|edits| (0..5000).for_each(|_| edits.blank(1..2)));
        refuses(|edits| edits.replace(1..2, vec![0; MAX_NEW_BYTES + 1]));
        assert!(!{
            let mut edits = Edits::default();
            edits.replace(1..2, vec![0; MAX_NEW_BYTES + 1]);
            edits.is_empty()
        });
    }

    #[test]
    fn pieces_are_in_order() {
        let new = |text: &'static str| Piece::New(Bytes::from_static(text.as_bytes()));
        let pieces = edits(|edits| {
            edits.remove(8..10);
            edits.replace(2..4, "x");
            edits.blank(5..7);
            edits.blank(6..8);
            edits.blank(5..6);
        });
        let expected = vec![Piece::Old(0..2), new("x"), Piece::Old(4..5), Piece::Zeros(2), Piece::Zeros(1), new("")];
        assert_eq!(pieces, Some(expected));
    }
}
