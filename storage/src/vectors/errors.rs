//! Errors of vector buckets, with the codes and texts of Supabase Storage.

use crate::error::Error;

pub(super) fn not_found(name: &str) -> Error {
    Error::S3(404, "NotFoundException", format!("resource \"{name}\" not found"))
}

/// Returns the error for a name that is already in use. `kind` is `vector bucket` or `vector index`.
pub(super) fn conflict(kind: &str, name: &str) -> Error {
    Error::S3(409, "ConflictException", format!("{kind} \"{name}\" already exists"))
}

pub(super) fn bucket_not_empty(name: &str) -> Error {
    Error::S3(400, "VectorBucketNotEmpty", format!("Vector Bucket \"{name}\" not empty"))
}

pub(super) fn invalid(message: impl Into<String>) -> Error {
    Error::InvalidParameter(message.into())
}

/// Returns the error for an invalid vector in a request. `key` is the key of the vector, and `what` the reason.
pub(super) fn invalid_record(key: &str, what: &str) -> Error {
    invalid(format!("Invalid record for key '{key}': {what}"))
}

/// Converts a database error. If another program created the database, the tables of vector buckets or the rights of the service role may
/// be missing. In this case, the error says that vector buckets are not enabled.
pub(super) fn of_database(error: Error) -> Error {
    match error {
        Error::AccessDenied(_) | Error::SchemaMismatch => Error::FeatureNotEnabled("Vector buckets are not enabled"),
        other => other,
    }
}
