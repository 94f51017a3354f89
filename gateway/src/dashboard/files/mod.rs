//! `/files`: buckets and objects. Requests are passed to Storage's own endpoints with the service role, so that Storage's validation,
//! limits and clean-up apply.

mod buckets;
mod content;
mod lifecycle;
mod objects;
mod versions;

use axum::routing::on;

use super::route::{Access, Method, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/files/buckets", "files.buckets", "The buckets", Access::VIEWER, |method| {
        on(method, buckets::list)
    }),
    Route::new(Method::Post, "/files/buckets", "files.create_bucket", "Make a bucket", Access::DEVELOPER, |method| {
        on(method, buckets::create)
    }),
    Route::new(
        Method::Put,
        "/files/buckets/{bucket}",
        "files.change_bucket",
        "Change a bucket",
        Access::DEVELOPER,
        |method| on(method, buckets::change),
    ),
    Route::new(
        Method::Delete,
        "/files/buckets/{bucket}",
        "files.remove_bucket",
        "Remove an empty bucket",
        Access::DEVELOPER,
        |method| on(method, buckets::remove),
    ),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/empty",
        "files.empty_bucket",
        "Remove all objects of a bucket",
        Access::DEVELOPER,
        |method| on(method, buckets::empty),
    ),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/rules",
        "files.add_rule",
        "Add a lifecycle rule to a bucket",
        Access::DEVELOPER,
        |method| on(method, lifecycle::add),
    ),
    Route::new(
        Method::Delete,
        "/files/buckets/{bucket}/rules/{rule}",
        "files.remove_rule",
        "Remove a lifecycle rule of a bucket",
        Access::DEVELOPER,
        |method| on(method, lifecycle::remove),
    ),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/list",
        "files.list",
        "A folder of a bucket",
        Access::VIEWER,
        |method| on(method, objects::list),
    )
    .harmless(),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/move",
        "files.move",
        "Give an object another name",
        Access::DEVELOPER,
        |method| on(method, objects::rename),
    ),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/copy",
        "files.copy",
        "Copy an object",
        Access::DEVELOPER,
        |method| on(method, objects::copy),
    ),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/remove",
        "files.remove",
        "Remove objects",
        Access::DEVELOPER,
        |method| on(method, objects::remove),
    ),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/sign",
        "files.sign",
        "A link to an object for a time",
        Access::DEVELOPER,
        |method| on(method, objects::sign),
    ),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/versions",
        "files.versions",
        "The versions of an object",
        Access::VIEWER,
        |method| on(method, versions::list),
    )
    .harmless(),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/deleted",
        "files.deleted",
        "Deleted objects that can be brought back",
        Access::VIEWER,
        |method| on(method, versions::deleted),
    )
    .harmless(),
    Route::new(
        Method::Post,
        "/files/buckets/{bucket}/restore",
        "files.restore",
        "Make a version of an object the current one",
        Access::DEVELOPER,
        |method| on(method, versions::restore),
    ),
    Route::new(
        Method::Get,
        "/files/buckets/{bucket}/objects/{*path}",
        "files.read",
        "The bytes of an object",
        Access::VIEWER,
        |method| on(method, content::read),
    )
    .audited()
    .file(),
    Route::new(
        Method::Put,
        "/files/buckets/{bucket}/objects/{*path}",
        "files.upload",
        "Upload an object",
        Access::DEVELOPER,
        |method| on(method, content::upload),
    )
    .file(),
];
