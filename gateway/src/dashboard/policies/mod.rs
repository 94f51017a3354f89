//! `/policies`: access rights of roles on tables, and trial runs of policy conditions on existing rows.

mod matrix;
mod trial;

use axum::routing::on;

use super::route::{Access, Method, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/policies", "policies.show", "Who may do what with tables", Access::VIEWER, |method| {
        on(method, matrix::show)
    }),
    Route::new(
        Method::Post,
        "/policies/try",
        "policies.try",
        "What a condition says of the rows there are",
        Access::DEVELOPER,
        |method| on(method, trial::run),
    ),
];
