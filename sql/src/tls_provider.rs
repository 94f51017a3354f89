//! The cryptography of TLS: one provider for all clients and servers of the process.

/// Sets the provider, unless it is set: rustls has no default where several are compiled in, and the client of S3 ends the process without one.
pub fn install() {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}
