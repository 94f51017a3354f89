//! Verifies the content of a file while it is copied: its size, and its MD5 digest if the ETag is an MD5 digest. If the content does not
//! match, the stream ends with an error, so that the object store discards the file.

use bytes::Bytes;
use cloch_storage::backend::ByteStream;
use cloch_storage::{Error, Result};
use futures_util::{StreamExt, stream};
use md5::{Digest, Md5};

use super::FileRecord;

/// Returns a stream with the same content as `body`. After the content, the stream ends with an error if the size or the MD5 digest differs
/// from the expected one. The expected digest is the record's ETag. If this ETag is not an MD5 digest, `answered` is used instead: the ETag
/// in the source's response.
pub(super) fn verified(body: ByteStream, record: &FileRecord, answered: Option<&str>) -> ByteStream {
    let expected = [record.etag.as_deref(), answered].into_iter().flatten().find_map(plain_md5);
    let state = (body, Md5::new(), 0_u64, Some((record.size, expected)));
    stream::unfold(state, |(mut body, mut digest, mut size, mut expected)| async move {
        match body.next().await {
            Some(Ok(bytes)) => {
                digest.update(&bytes);
                size += bytes.len() as u64;
                Some((Ok(bytes), (body, digest, size, expected)))
            }
            Some(Err(error)) => {
                expected = None;
                Some((Err(error), (body, digest, size, expected)))
            }
            None => {
                let (expected_size, expected_md5) = expected.take()?;
                let problem = problem(size, expected_size, &hex::encode(digest.clone().finalize()), expected_md5)?;
                Some((failure(problem), (body, digest, size, None)))
            }
        }
    })
    .boxed()
}

fn problem(size: u64, expected: Option<u64>, md5: &str, expected_md5: Option<String>) -> Option<String> {
    if let Some(expected) = expected.filter(|expected| *expected != size) {
        return Some(format!("{size} bytes came, its record says {expected}"));
    }
    let expected = expected_md5.filter(|expected| expected != md5)?;
    Some(format!("its bytes have the MD5 {md5}, its record says {expected}"))
}

fn failure(problem: String) -> Result<Bytes> {
    Err(Error::internal("verifying a file")(problem.into()))
}

/// Returns the ETag as an MD5 digest. `None` if the ETag has another form, for example after a multipart upload.
fn plain_md5(etag: &str) -> Option<String> {
    let text = etag.trim_start_matches("W/").trim_matches('"');
    (text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn outcome(size: Option<u64>, etag: Option<&str>, answered: Option<&str>) -> Result<usize> {
        let record = FileRecord {
            id: String::new(),
            bucket: "b".into(),
            name: "n".into(),
            version: None,
            size,
            etag: etag.map(str::to_owned),
        };
        let body = stream::iter([Ok(Bytes::from_static(b"ab")), Ok(Bytes::from_static(b"c"))]).boxed();
        let parts: Vec<Result<Bytes>> = verified(body, &record, answered).collect().await;
        parts.into_iter().map(|part| part.map(|bytes| bytes.len())).sum()
    }

    #[tokio::test]
    async fn other_bytes_are_refused() {
        let md5 = "\"900150983cd24fb0d6963f7d28e17f72\"";
        assert!(outcome(Some(2), None, None).await.is_err());
        assert!(outcome(Some(3), Some("\"000150983cd24fb0d6963f7d28e17f72\""), None).await.is_err());
        assert!(outcome(Some(3), None, Some("000150983cd24fb0d6963f7d28e17f72")).await.is_err());
        assert_eq!(outcome(Some(3), Some(md5), None).await.unwrap(), 3);
        assert_eq!(outcome(None, Some("\"900150983cd24fb0d6963f7d28e17f72-2\""), None).await.unwrap(), 3);
    }
}
