//! Verifies `Content-MD5`, the expected digest of a request body.

use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{StreamExt, stream};
use md5::{Digest, Md5};

use crate::backend::ByteStream;
use crate::error::{Error, Result};

const HEADER: &str = "content-md5";
const MD5_BYTES: usize = 16;

/// Verifies the request body against the header `Content-MD5`, if present. The returned stream ends with an error if the digest does not
/// match.
///
/// # Errors
/// `InvalidDigest` if the value of `Content-MD5` is not a valid MD5.
pub(crate) fn checked(headers: &HeaderMap, bytes: ByteStream) -> Result<ByteStream> {
    if !headers.contains_key(HEADER) {
        return Ok(bytes);
    }
    let expected = declared(headers).ok_or_else(|| {
        let message = "The Content-MD5 you specified is not valid.".to_owned();
        Error::S3(400, "InvalidDigest", message)
    })?;
    Ok(ending_with(
        bytes,
        Md5::new(),
        |md5, bytes| md5.update(bytes),
        move |md5| {
            if md5.finalize().as_slice() == expected {
                return Ok(());
            }
            let message = "The Content-MD5 you specified did not match what we received.".to_owned();
            Err(Error::S3(400, "BadDigest", message))
        },
    ))
}

fn declared(headers: &HeaderMap) -> Option<Vec<u8>> {
    let mut values = headers.get_all(HEADER).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    STANDARD.decode(value.as_bytes().trim_ascii()).ok().filter(|digest| digest.len() == MD5_BYTES)
}

/// Returns a stream with the bytes of `body`, and updates `state` with each chunk. After the last chunk, `check` runs on the state. If the
/// check fails, the stream ends with its error.
pub(crate) fn ending_with<S: Send + 'static>(
    body: ByteStream,
    state: S,
    update: impl Fn(&mut S, &[u8]) + Send + 'static,
    check: impl Fn(S) -> Result<()> + Send + 'static,
) -> ByteStream {
    stream::unfold(Some((body, state, update, check)), |state| async move {
        let (mut body, mut state, update, check) = state?;
        match body.next().await {
            Some(Ok(bytes)) => {
                update(&mut state, &bytes);
                Some((Ok(bytes), Some((body, state, update, check))))
            }
            Some(Err(error)) => Some((Err(error), None)),
            None => check(state).err().map(|error| (Err(error), None)),
        }
    })
    .boxed()
}
