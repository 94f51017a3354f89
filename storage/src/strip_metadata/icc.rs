//! Checks whether bytes are a colour profile (ICC.1, section 7.2).

/// Number of header bytes of a colour profile that are checked.
pub(super) const HEAD_BYTES: usize = 40;

/// Whether the bytes have the signature of a colour profile.
pub(super) fn has_signature(head: &[u8]) -> bool {
    head.get(36..HEAD_BYTES).is_some_and(|signature| signature == b"acsp")
}

/// Whether `head` is the header of a colour profile of `length` bytes: the header must contain this length and the signature of a colour
/// profile.
pub(super) fn is_profile(head: &[u8], length: u64) -> bool {
    let size = head.first_chunk::<4>().map(|size| u64::from(u32::from_be_bytes(*size)));
    size == Some(length) && has_signature(head)
}
