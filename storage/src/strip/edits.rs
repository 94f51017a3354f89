//! Changes to a file: ranges, and the bytes that come in their place.

use std::ops::Range;

use bytes::Bytes;

/// The most changes to one file. A picture has some ten; what a crafted one has beyond these stays in it.
const MAX_EDITS: usize = 4096;

/// Changes that do not overlap.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Edits(Vec<(Range<u64>, Bytes)>);

impl Edits {
    /// Leaves bytes out.
    pub(super) fn remove(&mut self, range: Range<u64>) {
        self.replace(range, Bytes::new());
    }

    /// Puts bytes in the place of others.
    pub(super) fn replace(&mut self, range: Range<u64>, with: impl Into<Bytes>) {
        let with = with.into();
        if self.0.len() < MAX_EDITS && !(range.is_empty() && with.is_empty()) {
            self.0.push((range, with));
        }
    }

    /// Writes zeros, where what follows must stay where it is.
    pub(super) fn blank(&mut self, range: Range<u64>) {
        let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
        self.replace(range, vec![0; length]);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// By how many bytes the file becomes shorter.
    pub(super) fn saved(&self) -> u64 {
        let (old, new) = self.0.iter().fold((0, 0), |(old, new), (range, with)| {
            (old + range.end.saturating_sub(range.start), new + with.len() as u64)
        });
        u64::saturating_sub(old, new)
    }

    /// The file's pieces in order: ranges of the old one, and new bytes. Of changes that overlap the first counts.
    pub(super) fn pieces(mut self, size: u64) -> Vec<Piece> {
        self.0.sort_by_key(|(range, _)| range.start);
        let (mut pieces, mut at) = (Vec::with_capacity(2 * self.0.len() + 1), 0);
        for (range, with) in self.0 {
            if range.start < at || range.end > size {
                continue;
            }
            pieces.push(Piece::Old(at..range.start));
            pieces.push(Piece::New(with));
            at = range.end;
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
        let new = |text: &'static str| Piece::New(Bytes::from_static(text.as_bytes()));
        let expected = [Piece::Old(0..2), new("x"), Piece::Old(4..8), new("")];
        assert_eq!(edits.pieces(10), expected);
    }
}
