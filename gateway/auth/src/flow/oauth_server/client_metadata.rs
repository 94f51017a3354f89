//! Parses and validates the metadata of an OAuth client's registration (RFC 7591).

use serde::Deserialize;
use url::Url;

const MAX_REDIRECT_URIS: usize = 10;
const MAX_URI_BYTES: usize = 2048;
const MAX_NAME_CHARS: usize = 1024;
const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];
const AUTH_METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];
/// URL schemes that are forbidden in redirect URIs, because a browser executes or displays their content.
const DANGEROUS_SCHEMES: [&str; 8] =
    ["javascript", "data", "file", "vbscript", "about", "blob", "view-source", "filesystem"];

/// The fields of a request that registers or updates an OAuth client. In an update, absent fields remain unchanged.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ClientMetadata {
    pub(crate) redirect_uris: Option<Vec<String>>,
    pub(crate) grant_types: Option<Vec<String>>,
    pub(crate) response_types: Option<Vec<String>>,
    pub(crate) client_type: Option<String>,
    pub(crate) token_endpoint_auth_method: Option<String>,
    pub(crate) client_name: Option<String>,
    pub(crate) client_uri: Option<String>,
    pub(crate) logo_uri: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// An invalid redirect URI. The error code is `invalid_redirect_uri`.
    RedirectUri(String),
    /// Other invalid metadata. The error code is `invalid_client_metadata`.
    Metadata(String),
}

impl Refusal {
    pub(crate) fn message(self) -> String {
        match self {
            Self::RedirectUri(message) | Self::Metadata(message) => message,
        }
    }
}

impl ClientMetadata {
    pub(crate) fn is_empty(&self) -> bool {
        self.redirect_uris.is_none()
            && self.grant_types.is_none()
            && self.client_name.is_none()
            && self.client_uri.is_none()
            && self.logo_uri.is_none()
            && self.token_endpoint_auth_method.is_none()
    }

    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let refused = |message: &str| Err(Refusal::Metadata(message.to_owned()));
        if let Some(uris) = &self.redirect_uris {
            check_redirect_uris(uris)?;
        }
        if let Some(types) = &self.grant_types
            && (types.is_empty() || types.iter().any(|kind| !GRANT_TYPES.contains(&kind.as_str())))
        {
            return refused("grant_types must only contain 'authorization_code' and/or 'refresh_token'");
        }
        if self.response_types.as_ref().is_some_and(|types| types.iter().any(|kind| kind != "code")) {
            return refused("response_types must only contain 'code'");
        }
        if self.client_name.as_ref().is_some_and(|name| name.chars().count() > MAX_NAME_CHARS) {
            return refused("client_name cannot exceed 1024 characters");
        }
        for (field, uri) in [("client_uri", &self.client_uri), ("logo_uri", &self.logo_uri)] {
            if uri.as_deref().is_some_and(|uri| !uri.is_empty() && !is_web_address(uri)) {
                return Err(Refusal::Metadata(format!("{field} must be a valid URL")));
            }
        }
        if self.client_type.as_deref().is_some_and(|kind| !["public", "confidential"].contains(&kind)) {
            return refused("client_type must be 'public' or 'confidential'");
        }
        if self.token_endpoint_auth_method.as_deref().is_some_and(|method| !AUTH_METHODS.contains(&method)) {
            return refused("token_endpoint_auth_method must be one of: none, client_secret_basic, client_secret_post");
        }
        if let (Some(kind), Some(method)) = (&self.client_type, &self.token_endpoint_auth_method)
            && !is_method_of(kind == "public", method)
        {
            return Err(Refusal::Metadata(format!(
                "client_type '{kind}' is inconsistent with token_endpoint_auth_method '{method}'"
            )));
        }
        Ok(())
    }

    /// Whether a new OAuth client is public: determined by its `client_type`, or otherwise by its authentication method. A client without
    /// either is confidential.
    pub(crate) fn is_public(&self) -> bool {
        match (self.client_type.as_deref(), self.token_endpoint_auth_method.as_deref()) {
            (Some(kind), _) => kind == "public",
            (None, method) => method == Some("none"),
        }
    }

    /// Returns the authentication method of a new OAuth client. The default for confidential clients is `client_secret_basic` (RFC 7591).
    pub(crate) fn auth_method(&self) -> &str {
        let default = if self.is_public() { "none" } else { "client_secret_basic" };
        self.token_endpoint_auth_method.as_deref().filter(|method| !method.is_empty()).unwrap_or(default)
    }

    /// Returns the grant types of a new OAuth client. Default: all supported grant types.
    pub(crate) fn grant_types(&self) -> Vec<String> {
        self.grant_types.clone().unwrap_or_else(|| GRANT_TYPES.map(str::to_owned).to_vec())
    }
}

/// Whether an OAuth client may use an authentication method. Public clients must use `none`; confidential clients can use any other method.
pub(crate) fn is_method_of(is_public: bool, method: &str) -> bool {
    (method == "none") == is_public
}

fn check_redirect_uris(uris: &[String]) -> Result<(), Refusal> {
    let refused = |message: String| Err(Refusal::RedirectUri(message));
    if uris.is_empty() {
        return refused("redirect_uris is required".into());
    }
    if uris.len() > MAX_REDIRECT_URIS {
        return refused(format!("redirect_uris cannot exceed {MAX_REDIRECT_URIS} items"));
    }
    match uris.iter().find_map(|uri| Some((uri, why_not(uri)?))) {
        Some((uri, why)) => refused(format!("invalid redirect_uri '{uri}': {why}")),
        None => Ok(()),
    }
}

/// Returns the reason why a text is not a valid redirect URI, or `None` if the text is valid (RFC 6749, section 3.1.2; RFC 8252, sections 7
/// and 8.4).
fn why_not(uri: &str) -> Option<&'static str> {
    // A column stores all redirect URIs of an OAuth client, separated by commas, so a redirect URI must not contain a comma.
    let is_plain =
        uri.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b',' | b'\\' | b'"' | b'<' | b'>'));
    if uri.len() > MAX_URI_BYTES || !is_plain {
        return Some("it is too long, or has characters that must be percent-encoded");
    }
    let Ok(url) = Url::parse(uri) else {
        return Some("invalid URL format");
    };
    let scheme = url.scheme();
    if DANGEROUS_SCHEMES.contains(&scheme) {
        return Some("its scheme is not allowed for security reasons");
    }
    // The private-use URI scheme of a native app is the app's domain name in reverse order, such as `com.example.app`, so it must contain a
    // dot.
    if url.host_str().is_none_or(str::is_empty) && !scheme.contains('.') {
        return Some("must have scheme and host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("must not contain user information");
    }
    if scheme == "http" && !matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
        return Some("HTTP scheme only allowed for localhost");
    }
    uri.contains('#').then_some("fragment not allowed in redirect URI")
}

/// Whether the text is an http or https URL, which the consent page can safely display as a link or image.
fn is_web_address(uri: &str) -> bool {
    uri.len() <= MAX_URI_BYTES && Url::parse(uri).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_redirect_uri() {
        for uri in [
            "",
            "/callback",
            "app.example/callback",
            "http://app.example/callback",
            "http://127.0.0.1.nip.io/callback",
            "https://app.example/#top",
            "https://app.example/callback,https://evil.example/",
            "https://app.example/a b",
            "https://app.example\\@evil.example/",
            "https://user@app.example/",
            "javascript://x/%0aalert(1)",
            "JavaScript://x",
            "data:text/html,x",
            "file://host/x",
            "myapp:/callback",
            &format!("https://app.example/{}", "a".repeat(MAX_URI_BYTES)),
        ] {
            assert!(why_not(uri).is_some(), "{uri}");
        }
    }

    #[test]
    fn takes_web_native_and_local_redirect_uris() {
        for uri in [
            "https://app.example/callback?x=1",
            "http://localhost:3000/cb",
            "http://127.0.0.1:9/cb",
            "http://[::1]:9/cb",
            "com.example.app:/callback",
            "cursor://anysphere.cursor/callback",
        ] {
            assert_eq!(why_not(uri), None, "{uri}");
        }
    }

    #[test]
    fn refuses_links_that_run_and_contradictions() {
        let check = |text: &str| serde_json::from_str::<ClientMetadata>(text).unwrap().check().is_err();
        for wrong in [
            r#"{"redirect_uris": []}"#,
            r#"{"client_uri": "javascript:alert(1)"}"#,
            r#"{"logo_uri": "data:image/svg+xml,x"}"#,
            r#"{"grant_types": ["password"]}"#,
            r#"{"grant_types": []}"#,
            r#"{"response_types": ["token"]}"#,
            r#"{"client_type": "public", "token_endpoint_auth_method": "client_secret_post"}"#,
            r#"{"client_type": "confidential", "token_endpoint_auth_method": "none"}"#,
            r#"{"client_type": "other"}"#,
            r#"{"token_endpoint_auth_method": "private_key_jwt"}"#,
        ] {
            assert!(check(wrong), "{wrong}");
        }
        assert!(!check(r#"{"client_name": "Agent", "client_uri": "https://agent.example"}"#));
    }

    #[test]
    fn the_kind_follows_the_method() {
        let of = |text: &str| {
            let metadata: ClientMetadata = serde_json::from_str(text).unwrap();
            (metadata.is_public(), metadata.auth_method().to_owned())
        };
        assert_eq!(of("{}"), (false, "client_secret_basic".into()));
        assert_eq!(of(r#"{"client_type": "public"}"#), (true, "none".into()));
        assert_eq!(of(r#"{"token_endpoint_auth_method": "none"}"#), (true, "none".into()));
        assert_eq!(of(r#"{"token_endpoint_auth_method": "client_secret_post"}"#), (false, "client_secret_post".into()));
    }
}
