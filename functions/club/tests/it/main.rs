//! Tests of functions over HTTP: the functions of the club's project with a separate database, and additional functions of other projects.
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
mod link_mails;
mod mail_jobs;
mod preview_receipt;
mod receipts;
mod reminders;
mod send_email;
mod send_invite;
mod state_mails;
mod submissions;
mod support;
