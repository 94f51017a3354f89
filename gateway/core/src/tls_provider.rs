//! The cryptography of TLS: one provider for all clients and servers of the process.

/// Sets the provider (aws-lc), unless it is set. The client of rust-s3 takes the process's provider, and panics where there is none.
pub fn install() {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}
