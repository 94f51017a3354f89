//! The crate `postgrest`, unmodified, against the program: the club's tables, and a schema of corner cases. The expected rows come from SQL that
//! runs as the same caller on the same database.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod callers;
mod club;
mod corners;
mod document;
mod oracle;
mod program;
mod snippet;
mod suite;

use callers::Callers;
use program::Program;
use suite::Suite;

#[tokio::test]
async fn answers_to_the_postgrest_crate_are_those_of_sql() {
    let program = Program::start().await;
    let callers = Callers::of(&program).await;
    let mut suite = Suite::new(&program).await;
    club::run(&mut suite, &callers).await;
    corners::run(&mut suite, &callers).await;
    let cases = suite.finish();
    document::run_snippet(&program).await;
    document::check_table(cases);
}
