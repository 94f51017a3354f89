//! Builds and parses the URL of a resumable upload, which contains the upload id.

use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::error::{Result, TusError};
use crate::backend::BlobKey;
use crate::http_headers::header;
use crate::model::object_path::ObjectPath;
use crate::settings::Settings;

/// Id of a resumable upload: the path and version of the resulting object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UploadId {
    pub(crate) path: ObjectPath,
    pub(crate) version: BlobKey,
}

impl UploadId {
    /// Parses the last segment of a resumable upload's URL.
    ///
    /// # Errors
    /// 400 if the text is not a valid upload id.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        Self::decode(text).ok_or(TusError::Protocol(400, "Invalid upload id"))
    }

    fn decode(text: &str) -> Option<Self> {
        let decoded = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
        let decoded = String::from_utf8(decoded).ok()?;
        let (bucket, rest) = decoded.split_once('/')?;
        let (name, version) = rest.rsplit_once('/')?;
        let version = BlobKey::parse(version)?;
        (!bucket.is_empty() && !name.is_empty()).then(|| Self { path: ObjectPath::new(bucket, name), version })
    }

    fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}/{}", self.path, self.version))
    }

    /// Returns the absolute URL of the resumable upload, as seen by the client.
    pub(crate) fn location(&self, settings: &Settings, headers: &HeaderMap, signed: bool) -> String {
        let sign = if signed { "/sign" } else { "" };
        format!("{}/upload/resumable{sign}/{}", base_url(settings, headers), self.encode())
    }
}

/// Returns the external URL of the storage API: the configured URL, or a URL derived from forwarding headers and `Host`.
fn base_url(settings: &Settings, headers: &HeaderMap) -> String {
    if let Some(url) = &settings.external_url {
        return format!("{}{}", url.trim_end_matches('/'), settings.base_path);
    }
    let first = |name: &str| header(headers, name).map(|value| value.split(',').next().unwrap_or(value).trim());
    let protocol = first("x-forwarded-proto").filter(|value| ["http", "https"].contains(value)).unwrap_or("http");
    let forwarded = first("x-forwarded-host");
    let mut host = forwarded.or_else(|| first("host")).unwrap_or("localhost").to_owned();
    if let (Some(_), Some(port)) = (forwarded, first("x-forwarded-port").filter(|port| !["80", "443"].contains(port))) {
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        host = format!("{name}:{port}");
    }
    let path = first("x-forwarded-prefix").map_or(settings.base_path.as_str(), |prefix| prefix.trim_end_matches('/'));
    format!("{protocol}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn id() -> UploadId {
        UploadId { path: ObjectPath::new("b", "dir/a.txt"), version: BlobKey::fresh() }
    }

    #[test]
    fn refuses_what_is_no_id() {
        for text in [
            "",
            "a",
            "b/c",
            "b/c/1",
            "/c/6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10",
            "b//6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10",
        ] {
            assert!(UploadId::parse(&URL_SAFE_NO_PAD.encode(text)).is_err(), "{text}");
        }
        assert!(UploadId::parse("../../etc/passwd").is_err());
    }

    #[test]
    fn the_location_is_where_the_client_came_from() {
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
        };
        let settings = Settings::default();
        let of = |pairs| {
            let url = id().location(&settings, &headers(pairs), false);
            url.rsplit_once('/').unwrap().0.to_owned()
        };
        assert_eq!(of(&[("host", "localhost:54321")]), "http://localhost:54321/storage/v1/upload/resumable");
        assert_eq!(
            of(&[
                ("host", "x"),
                ("x-forwarded-proto", "https"),
                ("x-forwarded-host", "club.example"),
                ("x-forwarded-port", "8443")
            ]),
            "https://club.example:8443/storage/v1/upload/resumable"
        );
        let fixed = Settings { external_url: Some("https://club.example/".into()), ..Settings::default() };
        let url = id().location(&fixed, &headers(&[("x-forwarded-host", "evil.example")]), true);
        assert!(url.starts_with("https://club.example/storage/v1/upload/resumable/sign/"));
    }

    proptest! {
        #[test]
        fn reads_what_it_wrote(bucket in "[a-z.]{1,9}", object in "[a-z/.]{1,20}") {
            let id = UploadId { path: ObjectPath::new(bucket, object), version: BlobKey::fresh() };
            prop_assert_eq!(UploadId::parse(&id.encode()).unwrap(), id);
        }

        #[test]
        fn never_panics(text in "\\PC{0,60}") {
            let _ = UploadId::parse(&text);
        }
    }
}
