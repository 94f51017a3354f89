//! The schema of corner cases (corners.sql).

mod errors;
mod filters;
mod functions;
mod reads;
mod relations;
mod writes;

use crate::callers::Callers;
use crate::suite::Suite;

const SCHEMA: &str = "corners";
/// Name of a table with quotes, a comma, a dot and spaces.
const ODD: &str = "Odd \"Name\", 1.0";

pub(crate) async fn run(suite: &mut Suite, callers: &Callers) {
    let anon = callers.anon.with_schema(SCHEMA);
    let user = callers.stranger.with_schema(SCHEMA);
    let service = callers.service.with_schema(SCHEMA);
    reads::run(suite, &anon, &service).await;
    filters::run(suite, &anon).await;
    relations::run(suite, &anon).await;
    functions::run(suite, &anon, &user).await;
    writes::run(suite, &user, &service).await;
    errors::run(suite, callers).await;
}
