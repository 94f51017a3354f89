//! The first bytes of a file, looked at as it arrives: one that is not what it says is refused before the rest of it comes.

use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};

use super::pipeline::{check_type, size_limit};
use crate::backend::{BlobKey, ByteStream};
use crate::error::{Error, Result};
use crate::object::meta::Meta;
use crate::rows::bucket::Rules;
use crate::rules::mime::MediaType;
use crate::rules::name;
use crate::rules::signature::{self, HEAD_BYTES};
use crate::state::StorageState;

/// The first bytes of a file, once they have come.
pub(crate) type Head = Arc<OnceLock<Bytes>>;

/// Whether the bytes of a file must be what it says: only a bucket that has a list of types asks for that.
fn is_checked(rules: &Rules, name: &str) -> bool {
    !rules.allowed().is_empty() && !name::is_empty_folder(name)
}

/// Checks a file's first bytes before any of them is handed on.
pub(crate) fn checked(bytes: ByteStream, rules: &Rules, name: &str, mimetype: &MediaType) -> (ByteStream, Head) {
    let seen = Head::default();
    if !is_checked(rules, name) {
        return (bytes, seen);
    }
    let beginning = beginning(bytes, rules.allowed().to_vec(), mimetype.clone(), seen.clone());
    (stream::once(beginning).flatten().boxed(), seen)
}

/// Reads up to the bytes that are looked at; returns all of them again.
async fn beginning(bytes: ByteStream, allowed: Vec<String>, mimetype: MediaType, seen: Head) -> ByteStream {
    // One that has ended may not be asked again.
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
    match signature::check(&mimetype, &allowed, head) {
        Ok(()) => stream::iter(chunks).chain(bytes).boxed(),
        Err(error) => stream::iter([Err(error)]).boxed(),
    }
}

/// Checks first bytes again, for a type that is known only after them.
pub(crate) fn check_again(rules: &Rules, name: &str, mimetype: &MediaType, seen: &Head) -> Result<()> {
    check_type(rules, name, mimetype)?;
    match seen.get() {
        Some(head) => signature::check(mimetype, rules.allowed(), head),
        None => Ok(()),
    }
}

/// Checks an object that is to be copied or moved against the rules of the bucket where it shall be.
///
/// # Errors
/// As for an upload of its bytes, with its type.
pub(crate) async fn check_object(
    state: &StorageState,
    rules: &Rules,
    name: &str,
    mimetype: &MediaType,
    object: &Meta,
) -> Result<()> {
    check_type(rules, name, mimetype)?;
    let size = object.size.unwrap_or(0);
    if size > size_limit(state, rules, name) {
        return Err(Error::EntityTooLarge);
    }
    if !is_checked(rules, name) {
        return Ok(());
    }
    check_stored(state, rules, name, Some(mimetype.clone()), (object.key()?, size)).await.map(drop)
}

/// Checks a blob that is stored already against the types that a bucket takes; returns its type, which is that of its bytes where none
/// is declared.
///
/// # Errors
/// [`Error::InvalidMimeType`] when the bucket does not take it.
pub(crate) async fn check_stored(
    state: &StorageState,
    rules: &Rules,
    name: &str,
    declared: Option<MediaType>,
    (key, size): (BlobKey, u64),
) -> Result<MediaType> {
    if !is_checked(rules, name) {
        return Ok(declared.unwrap_or_default());
    }
    let mut content = state.backend().get(key, 0..size.min(HEAD_BYTES as u64)).await?.into_stream();
    let mut head = BytesMut::new();
    while let Some(chunk) = content.next().await {
        head.extend_from_slice(&chunk?);
    }
    let mimetype = declared.unwrap_or_else(|| signature::media_type(&head));
    check_type(rules, name, &mimetype)?;
    signature::check(&mimetype, rules.allowed(), &head)?;
    Ok(mimetype)
}
