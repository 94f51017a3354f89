//! Selects the form in which a file is sent: compressed or not. Also replaces the placeholders of a prerendered page with the project's
//! settings and published content.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;
use moka::sync::Cache;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::assets::Assets;
use super::placeholders;
use super::published::{Published, Snapshot};

/// Compression formats in which a build may contain files, as `Accept-Encoding` value and file name suffix. The format with the smallest
/// files is first.
const ENCODINGS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// Maximum number of pages in the cache, which contains pages with replaced placeholders. Larger than the number of pages of an app.
const MAX_CACHED_PAGES: u64 = 256;

/// The files of an app, and the values that replace the placeholders in its pages.
#[derive(Clone, Debug)]
pub(super) struct Content {
    assets: Assets,
    /// The project's public settings, which `/_/config.json` also returns.
    config: Arc<Value>,
    published: Published,
    /// Cache of pages with replaced placeholders. The key is a hash of the page and of the published content, so that a change of the page
    /// or of the content takes effect immediately.
    pages: Cache<[u8; 32], Arc<Page>>,
}

#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) bytes: Bytes,
    pub(super) encoding: Option<&'static str>,
    /// Entity tag (ETag) of the content, in double quotes.
    pub(super) tag: String,
}

#[derive(Debug)]
struct Page {
    plain: Sent,
    gzip: Sent,
}

impl Content {
    pub(super) fn new(assets: Assets, config: Value) -> Self {
        let published = Published::default();
        Self { assets, config: Arc::new(config), published, pages: Cache::new(MAX_CACHED_PAGES) }
    }

    pub(super) fn with_published(self, published: Published) -> Self {
        Self { published, ..self }
    }

    /// Returns the file in the smallest form that the build contains and that the client accepts. `None` if the file does not exist.
    pub(super) async fn best(&self, path: &str, asked: &HeaderMap) -> Option<Sent> {
        if path.ends_with(".html")
            && let Some(drawn) = self.assets.get(path).await
            && placeholders::has_any(&drawn)
        {
            let content = self.published.current().await;
            let page = self.page(&drawn, content.as_deref());
            return Some(if takes(asked, "gzip") { page.gzip.clone() } else { page.plain.clone() });
        }
        for (encoding, suffix) in ENCODINGS {
            if takes(asked, encoding)
                && let Some(content) = self.assets.get(&format!("{path}.{suffix}")).await
            {
                return Some(Sent::new(bytes(content), Some(encoding)));
            }
        }
        match self.assets.get(path).await {
            Some(content) => Some(Sent::new(bytes(content), None)),
            None if self.assets.is_packed() => {
                let packed = self.assets.get(&format!("{path}.gz")).await?;
                Some(Sent::new(decompress(&packed).ok()?.into(), None))
            }
            None => None,
        }
    }

    pub(super) async fn has(&self, path: &str) -> bool {
        self.assets.get(path).await.is_some()
    }

    fn page(&self, drawn: &[u8], content: Option<&Snapshot>) -> Arc<Page> {
        let key = Sha256::new().chain_update(drawn).chain_update(content.map_or([0; 32], |content| content.digest));
        self.pages.get_with(key.finalize().into(), || {
            let content = content.map_or(&Value::Null, |content| &content.value);
            let filled = placeholders::replace_all(&String::from_utf8_lossy(drawn), &self.config, content);
            // Compression into memory does not fail. If it did, the page would be sent uncompressed.
            let gzip = match compress(filled.as_bytes()) {
                Ok(small) => Sent::new(small.into(), Some("gzip")),
                Err(_) => Sent::new(Bytes::from(filled.clone()), None),
            };
            Arc::new(Page { plain: Sent::new(filled.into(), None), gzip })
        })
    }
}

impl Sent {
    fn new(bytes: Bytes, encoding: Option<&'static str>) -> Self {
        let digest = Sha256::digest(&bytes);
        let tag = format!("\"{}\"", hex::encode(digest.get(..16).unwrap_or_default()));
        Self { bytes, encoding, tag }
    }
}

fn takes(asked: &HeaderMap, encoding: &str) -> bool {
    let accepted = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|one| {
        let mut parts = one.trim().split(';');
        parts.next() == Some(encoding) && parts.all(|weight| weight.trim() != "q=0")
    })
}

fn compress(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}

/// Decompresses a file that is embedded in the program. Its size is not limited, because the file is trusted.
fn decompress(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut plain)?;
    Ok(plain)
}

fn bytes(content: Cow<'static, [u8]>) -> Bytes {
    match content {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    }
}
