//! Colour profiles (ICC.1, section 7.2): whether bytes that claim to be one are one.

/// The bytes of the header that are looked at.
pub(super) const HEAD_BYTES: usize = 40;

/// Whether a profile of any length may begin so.
pub(super) fn has_signature(head: &[u8]) -> bool {
    head.get(36..HEAD_BYTES).is_some_and(|signature| signature == b"acsp")
}

/// Whether a profile begins so that has `length` bytes: its header says how many it has, and bears a signature.
pub(super) fn is_profile(head: &[u8], length: u64) -> bool {
    let size = head.first_chunk::<4>().map(|size| u64::from(u32::from_be_bytes(*size)));
    size == Some(length) && has_signature(head)
}
