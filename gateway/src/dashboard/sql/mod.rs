//! `/sql`: runs and cancels SQL of operators, and stores the SQL as snippets or migrations.

mod cancel;
mod failure;
mod ledger;
mod migrations;
mod results;
mod run;
mod script;
pub(super) mod session;
mod snippets;

use axum::extract::DefaultBodyLimit;
use axum::routing::on;

use super::route::{Access, Method, Route};

/// Maximum size in bytes of a request with SQL. Large, because one value may have 10 MB.
const SQL_BYTES: usize = 24 << 20;

pub(super) const ROUTES: &[Route] = &[
    Route::new(
        Method::Post,
        "/sql/read",
        "sql.read",
        "Run SQL on a login that cannot write",
        // Read-only SQL can read all tables of the project, including tables that operators with the role viewer may not read.
        Access::DEVELOPER,
        |method| on(method, run::read).layer(DefaultBodyLimit::max(SQL_BYTES)),
    )
    .harmless()
    .audited()
    .file(),
    Route::new(
        Method::Post,
        "/sql/run",
        "sql.run",
        "Run SQL as the owner or as a caller",
        Access::DEVELOPER,
        |method| on(method, run::run).layer(DefaultBodyLimit::max(SQL_BYTES)),
    )
    .file(),
    Route::new(Method::Post, "/sql/cancel", "sql.cancel", "Cancel SQL that runs", Access::VIEWER, |method| {
        on(method, cancel::cancel)
    })
    .harmless(),
    Route::new(Method::Get, "/sql/snippets", "snippets.list", "The project's snippets", Access::VIEWER, |method| {
        on(method, snippets::list)
    }),
    Route::new(Method::Get, "/sql/snippets/{name}", "snippets.show", "A snippet", Access::VIEWER, |method| {
        on(method, snippets::show)
    }),
    Route::new(Method::Put, "/sql/snippets/{name}", "snippets.save", "Save a snippet", Access::DEVELOPER, |method| {
        on(method, snippets::save)
    }),
    Route::new(
        Method::Delete,
        "/sql/snippets/{name}",
        "snippets.remove",
        "Remove a snippet",
        Access::DEVELOPER,
        |method| on(method, snippets::remove),
    ),
    Route::new(Method::Get, "/sql/migrations", "migrations.list", "The migrations", Access::VIEWER, |method| {
        on(method, migrations::list)
    }),
    Route::new(
        Method::Post,
        "/sql/migrations",
        "migrations.add",
        "Apply SQL and keep it as a migration file",
        Access::DEVELOPER,
        |method| on(method, migrations::add),
    ),
];
