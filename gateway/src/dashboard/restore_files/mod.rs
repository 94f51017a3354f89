//! `/restore-files`: owners restore deleted or replaced files of a bucket from a backup. The list of files comes from the temporary copy of the
//! database ([`super::row_copy`]), which `/restore-rows` prepares; the content comes from the backup target, and is uploaded to Storage.

mod apply;
mod find;

use axum::routing::on;

use super::route::{Access, Method, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::new(
        Method::Post,
        "/restore-files/find",
        "restore_files.find",
        "Files of the copy that are deleted or replaced now",
        Access::OWNER,
        |method| on(method, find::find),
    )
    .harmless()
    .audited(),
    Route::new(Method::Post, "/restore-files/apply", "restore_files.apply", "Restore files", Access::OWNER, |method| {
        on(method, apply::apply)
    })
    .unhurried(),
];
