//! `/statements`: slow statements of the project from pg_stat_statements, the plan of one statement with a proposal for an index, and the
//! reset of the statistics.
//!
//! Operators with the role viewer may not read the statements, because a text can contain values (see [`list`]). The queries run as the
//! project's owner, who may read all statement texts on an embedded server (`pg_monitor`). Therefore the list contains nothing that operators
//! with the role developer cannot read with SQL.

mod condition;
mod index_hint;
mod list;
mod plan;
mod reset;
mod views;

use axum::routing::on;

use super::route::{Access, Method, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::new(
        Method::Get,
        "/statements",
        "statements.list",
        "Slow statements of the project",
        Access::DEVELOPER,
        |method| on(method, list::show),
    ),
    Route::new(
        Method::Get,
        "/statements/{id}/plan",
        "statements.plan",
        "The plan of a statement that does not run, and an index that would help",
        Access::DEVELOPER,
        |method| on(method, plan::show),
    ),
    Route::new(
        Method::Delete,
        "/statements",
        "statements.reset",
        "Begin the statistics of statements anew",
        Access::OWNER,
        |method| on(method, reset::reset),
    ),
];
