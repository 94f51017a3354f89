//! Reads and writes the EXIF orientation, the only EXIF entry that an image keeps.

/// TIFF tag of the image orientation (TIFF 6.0; EXIF 2.32, 4.6.4).
pub(super) const ORIENTATION: u16 = 0x0112;
/// Prefix of the TIFF structure in the EXIF data of JPEG files. Some programs also write this prefix in other formats.
pub(super) const PREFIX: &[u8] = b"Exif\0\0";
const SHORT: u16 = 3;
/// Maximum number of entries of the first EXIF directory that are parsed. Photographs have fewer.
const MAX_ENTRIES: u16 = 1024;

/// Byte order of a TIFF structure.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn of(tiff: &[u8]) -> Option<Self> {
        match tiff {
            [b'I', b'I', b'*', 0, ..] => Some(Self::Little),
            [b'M', b'M', 0, b'*', ..] => Some(Self::Big),
            _ => None,
        }
    }

    pub(super) fn short(self, bytes: &[u8], at: usize) -> Option<u16> {
        let two = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(match self {
            Self::Little => u16::from_le_bytes(two),
            Self::Big => u16::from_be_bytes(two),
        })
    }

    pub(super) fn long(self, bytes: &[u8], at: usize) -> Option<u32> {
        let four = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(match self {
            Self::Little => u32::from_le_bytes(four),
            Self::Big => u32::from_be_bytes(four),
        })
    }

    pub(super) fn short_bytes(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

/// Returns the orientation in EXIF data. `None` if the data is invalid or has no orientation, or if the orientation is 1 (upright).
pub(super) fn orientation(data: &[u8]) -> Option<u16> {
    let tiff = data.strip_prefix(PREFIX).unwrap_or(data);
    let order = Order::of(tiff)?;
    let directory = usize::try_from(order.long(tiff, 4)?).ok()?;
    let count = order.short(tiff, directory)?.min(MAX_ENTRIES);
    let entries = (0..usize::from(count)).map(|index| directory.saturating_add(2 + 12 * index));
    let mut entries = entries.filter(|at| order.short(tiff, *at) == Some(ORIENTATION));
    let at = entries.next()?;
    let value = order.short(tiff, at.checked_add(8)?)?;
    (order.short(tiff, at + 2) == Some(SHORT) && (2..=8).contains(&value)).then_some(value)
}

/// Creates EXIF data that contains only an orientation.
pub(super) fn minimal(orientation: u16) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0\x01\0".to_vec();
    tiff.extend(ORIENTATION.to_le_bytes());
    tiff.extend(SHORT.to_le_bytes());
    tiff.extend(1_u32.to_le_bytes());
    tiff.extend(u32::from(orientation).to_le_bytes());
    tiff.extend([0; 4]);
    tiff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_orientation_is_read_in_both_orders() {
        let big = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        assert_eq!(orientation(big), Some(6));
        assert_eq!(orientation(&[PREFIX, big].concat()), Some(6));
        assert_eq!(orientation(&minimal(8)), Some(8));
        assert_eq!(orientation(&minimal(1)), None);
    }

    #[test]
    fn what_is_broken_has_none() {
        let whole = minimal(6);
        for length in 0..whole.len() - 6 {
            assert_eq!(orientation(&whole[..length]), None, "{length}");
        }
        assert_eq!(orientation(b"II*\0\xff\xff\xff\xff\x01\0"), None);
    }
}
