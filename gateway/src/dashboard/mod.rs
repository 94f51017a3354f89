//! `/_/api`: the API of the dashboard, for operators.
//!
//! Every endpoint is an entry of a table ([`routes`]), which says who may use it; [`guard`] admits a request by it: same site, session
//! ([`operators`]), role, CSRF token, and a row of the [`audit`] for everything that changes something or reads personal data. What an
//! operator sees of the project's data is decided by PostgreSQL ([`database`]).

mod advisors;
mod apis;
mod audit;
mod backups;
mod cookie;
mod cron;
mod database;
mod error;
mod extract;
mod files;
mod functions;
mod guard;
mod keys;
mod logs;
mod mail;
mod metrics;
mod openapi;
mod operator;
mod operators;
mod passwords;
mod policies;
mod postgres_log;
mod project;
mod queues;
mod realtime;
mod route;
mod routes;
mod rows;
mod running_sql;
mod schema;
mod settings;
mod sql;
mod state;
mod users;
mod why;

use axum::Router;
use axum::routing::any;

pub use error::ApiError;
pub use keys::Keys;
pub use operators::{first_link, link_for, make_first_link};
pub use passwords::Passwords;
pub use running_sql::Running;
pub use state::{Dashboard, DashboardState};

use cloch_http::{RequestLimits, with_min_rate};

/// The routes below `/_/api`: nest it there.
pub fn router(state: DashboardState, limits: RequestLimits) -> Router {
    let mut router = Router::new();
    for route in routes::all() {
        router = router.route(route.path, guard::guarded(&state, route, limits));
    }
    let router = router
        // A fallback would come after the page that is served for every other path below /_.
        .route("/{*path}", any(error::not_found))
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(axum::middleware::map_response(guard::add_headers))
        .with_state(state);
    with_min_rate(router, limits.min_rate)
}
