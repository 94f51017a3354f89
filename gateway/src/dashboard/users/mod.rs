//! `/users`: the project's users. Reads are SQL statements of the dashboard; most changes are requests to Auth with the service role.

mod change;
mod find;

use axum::routing::on;

use super::route::{Access, Method, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/users", "users.list", "Users, searched and sorted", Access::VIEWER, |method| {
        on(method, find::list)
    })
    .audited(),
    Route::new(
        Method::Get,
        "/users/{id}",
        "users.show",
        "A user with identities, sessions and factors",
        Access::VIEWER,
        |method| on(method, find::show),
    )
    .audited(),
    Route::new(Method::Post, "/users", "users.create", "Create a user", Access::DEVELOPER, |method| {
        on(method, change::create)
    }),
    Route::new(Method::Post, "/users/invite", "users.invite", "Invite a user by mail", Access::DEVELOPER, |method| {
        on(method, change::invite)
    }),
    Route::new(Method::Put, "/users/{id}", "users.change", "Change or ban a user", Access::DEVELOPER, |method| {
        on(method, change::change)
    }),
    Route::new(Method::Delete, "/users/{id}", "users.remove", "Remove a user", Access::DEVELOPER, |method| {
        on(method, change::remove)
    }),
    Route::new(
        Method::Post,
        "/users/{id}/recover",
        "users.recover",
        "Send a user the mail with a link for a new password",
        Access::DEVELOPER,
        |method| on(method, change::recover),
    ),
    Route::new(
        Method::Post,
        "/users/{id}/link",
        "users.link",
        "A link with which its holder is signed in as a user",
        Access::OWNER,
        |method| on(method, change::link),
    ),
    Route::new(
        Method::Delete,
        "/users/{id}/sessions",
        "users.sign_out",
        "Sign a user out everywhere",
        Access::DEVELOPER,
        |method| on(method, change::end_sessions),
    ),
    Route::new(
        Method::Delete,
        "/users/{id}/sessions/{session}",
        "users.end_session",
        "End a session of a user",
        Access::DEVELOPER,
        |method| on(method, change::end_session),
    ),
    Route::new(
        Method::Delete,
        "/users/{id}/factors/{factor}",
        "users.remove_factor",
        "Remove a second factor of a user",
        Access::DEVELOPER,
        |method| on(method, change::remove_factor),
    ),
    Route::new(
        Method::Delete,
        "/users/{id}/identities/{identity}",
        "users.unlink_identity",
        "Remove one of a user's identities",
        Access::DEVELOPER,
        |method| on(method, change::unlink_identity),
    ),
];
