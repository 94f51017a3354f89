//! Cryptography provider for TLS, shared by all clients and servers of the process.

/// Installs the provider aws-lc, unless a provider is installed. The client of rust-s3 uses the process's provider and panics without it.
pub fn install() {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}
