//! What PostgreSQL refuses, in the words of this API.

use super::{Error, Kind};

const PENDING_MULTIPART: &str =
    "The bucket could not be updated because it is referenced by a pending multipart upload.";
const REFERENCED: &str = "The resource could not be updated or removed due to a foreign key constraint";

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(database) => match database.code().as_deref() {
                Some(code) => refused(code, database.as_ref()),
                None => Self::Internal { context: "asking the database", source: database.into() },
            },
            sqlx::Error::PoolTimedOut => Self::DatabaseTimeout,
            other => Self::Internal { context: "asking the database", source: other.into() },
        }
    }
}

/// The failure that an SQLSTATE stands for. Policies and triggers of the project raise them too.
fn refused(code: &str, error: &dyn sqlx::error::DatabaseError) -> Error {
    match code {
        "42501" if error.message().contains("row-level security") => {
            // PostgreSQL names the table; clients compare with the text without it.
            Error::AccessDenied("new row violates row-level security policy".to_owned())
        }
        "42501" => Error::AccessDenied(error.message().to_owned()),
        "23505" => Error::AlreadyExists(Kind::Resource),
        "23503" if is_still_referenced(error) => match error.constraint() {
            Some("s3_multipart_uploads_bucket_id_fkey" | "s3_multipart_uploads_parts_bucket_id_fkey") => {
                Error::Referenced(PENDING_MULTIPART)
            }
            _ => Error::Referenced(REFERENCED),
        },
        "23503" => Error::RelatedMissing,
        "55P03" => Error::Locked,
        // The server is stopping, has crashed, or is starting: the connection is gone.
        "57014" | "57P01" | "57P02" | "57P03" => Error::DatabaseTimeout,
        "25006" => Error::DatabaseReadOnly,
        "25P02" => Error::TransactionAborted,
        "42P17" => Error::InvalidObjectDefinition,
        "22P02" => Error::InvalidParameter(error.message().to_owned()),
        "42703" | "42P01" => Error::SchemaMismatch,
        other => {
            // The message is a project's own (a trigger's raise): it stays here, and clients see the code.
            tracing::warn!(db.code = other, "the database refused: {}", error.message());
            Error::Database(other.to_owned())
        }
    }
}

/// Tells a deleted parent from a missing one: both are 23503.
fn is_still_referenced(error: &dyn sqlx::error::DatabaseError) -> bool {
    error
        .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
        .and_then(sqlx::postgres::PgDatabaseError::detail)
        .is_some_and(|detail| detail.contains("is still referenced from table"))
}
