//! Cryptography provider for TLS, shared by all clients and servers of the process.

/// Installs aws-lc as the process's cryptography provider for TLS, unless a provider is already installed. The S3 client of rust-s3 panics if
/// the process has no provider.
pub fn install() {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}
