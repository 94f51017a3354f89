//! Converts PostgreSQL errors into errors of the storage API.

use cloch_core::disk_full;
use cloch_sql::client::ClientError;
use cloch_sql::database::is_unavailable;
use sqlx::postgres::PgDatabaseError;

use super::{Error, Kind};

const PENDING_MULTIPART: &str =
    "The bucket could not be updated because it is referenced by a pending multipart upload.";
const DEFAULT_RETRY_AFTER_SECONDS: u64 = 60 * 60;
const REFERENCED: &str = "The resource could not be updated or removed due to a foreign key constraint";

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error {
            error if is_lost(&error) => Self::lost(&error),
            sqlx::Error::Database(database) => match database.try_downcast::<PgDatabaseError>() {
                Ok(refusal) => refused(&Refusal {
                    code: refusal.code(),
                    message: refusal.message(),
                    detail: refusal.detail(),
                    constraint: refusal.constraint(),
                }),
                // The caller's role was refused by a check in Rust, before any statement was sent. The message is the same as PostgreSQL's
                // message for a refused role.
                Err(role) => Self::AccessDenied(role.message().to_owned()),
            },
            sqlx::Error::PoolTimedOut => Self::DatabaseTimeout,
            other => Self::Internal { context: "querying the database", source: other.into() },
        }
    }
}

impl From<ClientError> for Error {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Db(refusal) => refused(&Refusal {
                code: &refusal.code,
                message: &refusal.message,
                detail: refusal.detail.as_deref(),
                constraint: refusal.constraint.as_deref(),
            }),
            ClientError::Busy => Self::DatabaseTimeout,
            ClientError::Connect(_) | ClientError::Lost(_) => Self::lost(&error),
            other => Self::Internal { context: "querying the database", source: other.into() },
        }
    }
}

impl Error {
    fn lost(reason: &dyn std::error::Error) -> Self {
        tracing::error!(error = %reason, "storage: database connection lost, the request fails with status 503");
        Self::DatabaseLost
    }
}

/// Whether the database server is unreachable. `false` if the server is only busy.
fn is_lost(error: &sqlx::Error) -> bool {
    !matches!(error, sqlx::Error::PoolTimedOut | sqlx::Error::Database(_)) && is_unavailable(error)
}

/// Fields of a PostgreSQL error.
struct Refusal<'a> {
    /// SQLSTATE of the error.
    code: &'a str,
    message: &'a str,
    detail: Option<&'a str>,
    constraint: Option<&'a str>,
}

/// Converts a PostgreSQL error by its SQLSTATE. Policies and triggers of the project can raise the same SQLSTATEs as PostgreSQL.
fn refused(error: &Refusal<'_>) -> Error {
    match error.code {
        "42501" if error.message.contains("row-level security") => {
            // PostgreSQL's message contains the table name; clients expect the message without the table name.
            Error::AccessDenied("new row violates row-level security policy".to_owned())
        }
        "42501" => Error::AccessDenied(error.message.to_owned()),
        "23505" => Error::AlreadyExists(Kind::Resource),
        "23503" if is_still_referenced(error) => match error.constraint {
            Some("s3_multipart_uploads_bucket_id_fkey" | "s3_multipart_uploads_parts_bucket_id_fkey") => {
                Error::Referenced(PENDING_MULTIPART)
            }
            _ => Error::Referenced(REFERENCED),
        },
        "23503" => Error::RelatedMissing,
        // The role in the caller's token does not exist.
        "22023" if error.message.starts_with("role ") => Error::AccessDenied(error.message.to_owned()),
        "55P03" => Error::Locked,
        // PostgreSQL is stopping, has crashed, or is starting, so the connection is lost.
        "57P01" | "57P02" | "57P03" => Error::DatabaseLost,
        "57014" => Error::DatabaseTimeout,
        "25006" => Error::DatabaseReadOnly,
        "25P02" => Error::TransactionAborted,
        "42P17" => Error::InvalidObjectDefinition,
        // SQLSTATEs of values that PostgreSQL cannot store: an invalid number or date, a NUL in a text, a value too long for an index, or
        // too deep nesting.
        "22P02" | "22P05" | "22003" | "22007" | "22008" | "22021" | "54000" | "54001" => {
            Error::InvalidParameter(error.message.to_owned())
        }
        disk_full::SQLSTATE => {
            disk_full::report("storage");
            Error::DatabaseFull
        }
        // SQLSTATE that cloch.count_upload and similar SQL functions raise. The error's detail is the number of seconds to wait.
        "CLLIM" => Error::TooMany(
            "Too many uploads from this network. Please try again later.",
            error.detail.and_then(|seconds| seconds.parse().ok()).unwrap_or(DEFAULT_RETRY_AFTER_SECONDS),
        ),
        // SQLSTATE that the SQL function cloch.write_object_if raises.
        "CLPRE" => Error::PreconditionFailed,
        "42703" | "42P01" => Error::SchemaMismatch,
        other => {
            // PostgreSQL's message may come from the project (a trigger's RAISE), so the message is only logged. Clients receive the
            // SQLSTATE instead.
            tracing::warn!(
                db.code = other,
                error = error.message,
                "storage: database refused a statement, the request fails"
            );
            Error::Database(other.to_owned())
        }
    }
}

/// Distinguishes the two meanings of a foreign key violation (SQLSTATE 23503): `true` if other rows still refer to the deleted row, `false`
/// if the written row refers to a missing row.
fn is_still_referenced(error: &Refusal<'_>) -> bool {
    error.detail.is_some_and(|detail| detail.contains("is still referenced from table"))
}
