//! Integration tests of the REST crate with a real PostgreSQL server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod rest;
mod why;
