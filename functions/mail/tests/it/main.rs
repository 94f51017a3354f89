//! Tests of the mail crate with a real PostgreSQL and a real SMTP server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod inbox;
mod smtp;
mod support;
