//! Checks the limits of an object's size and media type.

use futures_util::{StreamExt, stream};

use crate::backend::ByteStream;
use crate::db::buckets::BucketRules;
use crate::error::{Error, Result};
use crate::state::StorageState;
use crate::validation::media_type::{self, MediaType};
use crate::validation::{file_size, names};

/// Returns the maximum size in bytes of an object with the given name: the smaller of the project's limit and the bucket's limit.
pub(crate) fn max_file_bytes(state: &StorageState, rules: &BucketRules, name: &str) -> u64 {
    if names::is_empty_folder(name) {
        return 0;
    }
    file_size::effective(state.settings().file_size_limit, rules.file_size_limit)
}

/// Checks the declared media type of a file against the bucket's list of allowed types.
///
/// # Errors
/// [`Error::InvalidMimeType`] if the bucket does not allow the type.
pub(crate) fn check_type(rules: &BucketRules, name: &str, mimetype: &MediaType) -> Result<()> {
    if rules.allowed_types().is_empty() || names::is_empty_folder(name) {
        return Ok(());
    }
    media_type::check_allowed(mimetype, rules.allowed_types())
}

/// Returns a stream with the same bytes as `bytes`, which ends with [`Error::EntityTooLarge`] after more than `max_bytes` bytes.
pub(crate) fn limited(bytes: ByteStream, max_bytes: u64) -> ByteStream {
    stream::unfold((bytes, 0_u64), move |(mut bytes, mut seen)| async move {
        let item = bytes.next().await?;
        let item = item.and_then(|chunk| {
            seen = seen.saturating_add(chunk.len() as u64);
            if seen > max_bytes { Err(Error::EntityTooLarge) } else { Ok(chunk) }
        });
        Some((item, (bytes, seen)))
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn bytes(chunks: &'static [&'static str]) -> ByteStream {
        stream::iter(chunks).map(|chunk| Ok(Bytes::from_static(chunk.as_bytes()))).boxed()
    }

    #[tokio::test]
    async fn cuts_what_is_too_large() {
        let results: Vec<_> = limited(bytes(&["abc", "def"]), 5).collect().await;
        assert!(matches!(results.as_slice(), [Ok(_), Err(Error::EntityTooLarge)]));
        assert!(limited(bytes(&["abc", "de"]), 5).all(|item| async move { item.is_ok() }).await);
    }
}
