//! The OAuth 2.1 and OpenID Connect server: users of this project sign in to other applications with their account.

pub(crate) mod client_auth;
pub(crate) mod client_metadata;
pub(crate) mod codes;
pub(crate) mod id_token;
pub(crate) mod scopes;
