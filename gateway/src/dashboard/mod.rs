//! `/_/api`: the dashboard's API for operators.
//!
//! Every endpoint is an entry of the route table ([`routes`]), which contains the role that an operator needs. [`guard`] checks the origin,
//! session ([`operators`]), role and CSRF token of each request. Requests that change something or read personal data are recorded in
//! [`audit`]. PostgreSQL decides which project data an operator sees ([`database`]).

mod advisors;
mod api_keys;
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
mod health;
mod keys;
mod logs;
mod mail;
mod metrics;
mod node_settings;
mod openapi;
mod operator;
mod operators;
mod passwords;
mod policies;
mod postgres_log;
mod project;
mod queues;
mod realtime;
mod restore_files;
mod restore_rows;
mod route;
mod routes;
mod row_copy;
mod rows;
mod running_sql;
mod schema;
mod settings;
mod sql;
mod state;
mod statements;
mod tokens;
mod users;
mod why;

use axum::Router;
use axum::routing::any;

pub use error::ApiError;
pub use keys::Keys;
pub use node_settings::{ConfigChecks, SettingsFiles, SettingsNodes};
pub use operators::{first_link, link_for, make_first_link};
pub use passwords::Passwords;
pub use row_copy::RowCopy;
pub use running_sql::Running;
pub use state::{Dashboard, DashboardState};

use cloch_http::{RequestLimits, with_min_rate};

/// Returns the router of the API, to be nested at `/_/api`.
pub fn router(state: DashboardState, limits: RequestLimits) -> Router {
    let mut router = Router::new();
    for route in routes::all() {
        router = router.route(route.path, guard::guarded(&state, route, limits));
    }
    let router = router
        // The 404 response is a route and not the router's fallback: the web app has a route for all other paths below `/_`, which would take
        // precedence over a fallback.
        .route("/{*path}", any(error::not_found))
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(axum::middleware::map_response(guard::add_headers))
        .with_state(state);
    with_min_rate(router, limits.min_rate)
}
