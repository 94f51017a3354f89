//! This project as an OAuth 2.1 and OpenID Connect server for other applications.

pub(crate) mod client_auth;
pub(crate) mod client_metadata;
pub(crate) mod codes;
pub(crate) mod id_token;
pub(crate) mod scopes;
