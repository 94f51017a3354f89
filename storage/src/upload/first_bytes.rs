//! Compares the first bytes of a file with its declared media type during the upload. If they do not match, the upload is refused before
//! the rest of the file is received.

use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};

use super::limits::{check_type, max_file_bytes};
use crate::backend::ByteStream;
use crate::db::buckets::BucketRules;
use crate::error::{Error, Result};
use crate::model::blob::StoredBlob;
use crate::model::meta::Meta;
use crate::state::StorageState;
use crate::validation::file_signature::{self, HEAD_BYTES};
use crate::validation::media_type::MediaType;
use crate::validation::names;

/// First bytes of a file, set after they are received.
pub(crate) type FirstBytes = Arc<OnceLock<Bytes>>;

/// Whether the content of a file is compared with its media type. This applies only to buckets with a list of allowed types, and not to the
/// placeholder of an empty folder.
fn is_checked(rules: &BucketRules, name: &str) -> bool {
    !rules.allowed_types().is_empty() && !names::is_empty_folder(name)
}

/// Returns a stream that compares the first bytes of a file with the declared media type before it yields any byte. The second return value
/// contains these bytes as soon as they are received.
pub(crate) fn checked(
    bytes: ByteStream,
    rules: &BucketRules,
    name: &str,
    mimetype: &MediaType,
) -> (ByteStream, FirstBytes) {
    let seen = FirstBytes::default();
    if !is_checked(rules, name) {
        return (bytes, seen);
    }
    let beginning = beginning(bytes, rules.allowed_types().to_vec(), mimetype.clone(), seen.clone());
    (stream::once(beginning).flatten().boxed(), seen)
}

/// Reads and checks the first bytes of a file. Returns a stream of the whole file, including the first bytes.
async fn beginning(bytes: ByteStream, allowed: Vec<String>, mimetype: MediaType, seen: FirstBytes) -> ByteStream {
    // The stream is fused, because a stream must not be polled after its end.
    let mut bytes = bytes.fuse();
    let (mut chunks, mut head) = (Vec::new(), BytesMut::new());
    while head.len() < HEAD_BYTES {
        match bytes.next().await {
            Some(Ok(chunk)) => {
                head.extend_from_slice(chunk.get(..HEAD_BYTES - head.len()).unwrap_or(&chunk));
                chunks.push(Ok(chunk));
            }
            Some(Err(error)) => return stream::iter([Err(error)]).boxed(),
            None => break,
        }
    }
    let head = seen.get_or_init(|| head.freeze());
    match file_signature::check(&mimetype, &allowed, head) {
        Ok(()) => stream::iter(chunks).chain(bytes).boxed(),
        Err(error) => stream::iter([Err(error)]).boxed(),
    }
}

/// Checks the first bytes of a file again with a media type that became known only after these bytes were received.
pub(crate) fn check_again(rules: &BucketRules, name: &str, mimetype: &MediaType, seen: &FirstBytes) -> Result<()> {
    check_type(rules, name, mimetype)?;
    match seen.get() {
        Some(head) => file_signature::check(mimetype, rules.allowed_types(), head),
        None => Ok(()),
    }
}

/// Checks an object that is copied or moved against the restrictions of the destination bucket.
///
/// # Errors
/// The same errors as for an upload of the same content and type.
pub(crate) async fn check_object(
    state: &StorageState,
    rules: &BucketRules,
    name: &str,
    mimetype: &MediaType,
    object: &Meta,
) -> Result<()> {
    check_type(rules, name, mimetype)?;
    let size = object.size.unwrap_or(0);
    if size > max_file_bytes(state, rules, name) {
        return Err(Error::EntityTooLarge);
    }
    if !is_checked(rules, name) {
        return Ok(());
    }
    check_stored(state, rules, name, Some(mimetype.clone()), &object.blob()?).await.map(drop)
}

/// Checks a stored blob against the media types that the bucket allows. Returns the media type, which is detected from the content if no
/// type is declared.
///
/// # Errors
/// [`Error::InvalidMimeType`] if the bucket does not allow the media type.
pub(crate) async fn check_stored(
    state: &StorageState,
    rules: &BucketRules,
    name: &str,
    declared: Option<MediaType>,
    blob: &StoredBlob,
) -> Result<MediaType> {
    if !is_checked(rules, name) {
        return Ok(declared.unwrap_or_default());
    }
    let mut content = state.backend().get(blob.key, 0..blob.size.min(HEAD_BYTES as u64)).await?.into_stream();
    let mut head = BytesMut::new();
    while let Some(chunk) = content.next().await {
        head.extend_from_slice(&chunk?);
    }
    let mimetype = declared.unwrap_or_else(|| file_signature::media_type(&head));
    check_type(rules, name, &mimetype)?;
    file_signature::check(&mimetype, rules.allowed_types(), &head)?;
    Ok(mimetype)
}
