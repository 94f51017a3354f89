//! The functions as a client meets them: the club's project on a database of its own, with functions of other projects beside it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a test fails by panicking, and nothing uses a test"
)]

mod calls;
mod guest_email;
mod judging;
mod mail_jobs;
mod receipts;
mod send_email;
mod send_invite;
mod support;
