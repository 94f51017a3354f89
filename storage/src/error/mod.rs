//! The errors of this API: one type inside the crate, turned into HTTP responses here and nowhere else.
//!
//! Most failures answer HTTP 400 with the real status as text in `statusCode`; clients read the body.

mod database;
mod header;
mod response;
mod token;

use axum::http::StatusCode;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of a storage request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bucket is absent, or the caller may not know of it.
    #[error("Bucket not found")]
    NoSuchBucket,
    /// The object is absent, or the caller may not know of it.
    #[error("Object not found")]
    NoSuchKey,
    /// The bucket has no lifecycle rules.
    #[error("The lifecycle configuration does not exist")]
    NoSuchLifecycle,
    /// No resumable or multipart upload has this id.
    #[error("Upload not found")]
    NoSuchUpload,
    /// The request is invalid; the text says why.
    #[error("{0}")]
    InvalidRequest(String),
    /// A body, query or header breaks the endpoint's schema; all violations joined by commas.
    #[error("{0}")]
    Schema(String),
    /// The body is not JSON although its type says so.
    #[error("{0}")]
    JsonBody(&'static str),
    /// The JSON body is larger than an endpoint takes.
    #[error("Request body is too large")]
    JsonTooLarge,
    /// `Content-Type` is not of the form `type/subtype`.
    #[error("Invalid Content-Type header")]
    ContentType,
    /// The path is not valid percent-encoding; the path as sent.
    #[error("'{0}' is not a valid url component")]
    BadUrl(String),
    /// No such endpoint: method and path.
    #[error("Route {0}:{1} not found")]
    NoRoute(String, String),
    /// A parameter's value is refused; the text says which.
    #[error("{0}")]
    InvalidParameter(String),
    /// A parameter is missing.
    #[error("Missing Required Parameter {0}")]
    MissingParameter(&'static str),
    /// A signed URL's token is no valid token; the text says why.
    #[error("{0}")]
    InvalidJwt(&'static str),
    /// A signed URL's token is for something else.
    #[error("{0}")]
    InvalidSignature(&'static str),
    /// The object's name has characters that names may not have.
    #[error("Invalid key: {0}")]
    InvalidKey(String),
    /// The bucket's name breaks the rules for names.
    #[error("Bucket name invalid")]
    InvalidBucketName,
    /// The `Range` header asks for what lies behind the end; the size of the object.
    #[error("invalid range provided")]
    InvalidRange(u64),
    /// A condition of the request does not hold.
    #[error("At least one of the pre-conditions you specified did not hold")]
    PreconditionFailed,
    /// The `X-Robots-Tag` header is not one crawlers would understand; the rule.
    #[error("Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: \"{0}\"")]
    InvalidRobotsTag(String),
    /// The bucket stores pictures without their metadata, and those of this file cannot be removed; the text says why.
    #[error("This bucket stores pictures without metadata, and that of this file cannot be removed: {0}")]
    Metadata(String),
    /// The bucket does not take this type of file.
    #[error("mime type {0} is not supported")]
    InvalidMimeType(String),
    /// The file is larger than the bucket or the project allows.
    #[error("The object exceeded the maximum allowed size")]
    EntityTooLarge,
    /// A policy, a grant or a token refuses; the text clients see.
    #[error("{0}")]
    AccessDenied(String),
    /// A feature of the hosted platform that this server does not have.
    #[error("{0}")]
    FeatureNotEnabled(&'static str),
    /// The endpoint is for the service role only.
    #[error("Access denied: Invalid role")]
    InvalidRole,
    /// Something of that name exists; the code tells which kind.
    #[error("The resource already exists")]
    AlreadyExists(Kind),
    /// The bucket still has objects.
    #[error("The bucket you tried to delete is not empty")]
    BucketNotEmpty,
    /// Other rows refer to the row.
    #[error("{0}")]
    Referenced(&'static str),
    /// The row refers to one that does not exist.
    #[error("The related resource does not exist")]
    RelatedMissing,
    /// Somebody else holds the row.
    #[error("The resource is locked")]
    Locked,
    /// PostgreSQL took too long, or no connection was free.
    #[error("The connection to the database timed out")]
    DatabaseTimeout,
    /// PostgreSQL is not there: it restarts, or another server takes its place.
    #[error("The database cannot be reached. Please try again.")]
    DatabaseLost,
    /// PostgreSQL is in recovery or read-only.
    #[error("The database is currently in read-only mode. Please try again later.")]
    DatabaseReadOnly,
    /// A statement failed before this one.
    #[error("The database transaction has been aborted. Roll back the transaction before retrying.")]
    TransactionAborted,
    /// A policy refers to itself.
    #[error("The database schema is invalid or incompatible.")]
    InvalidObjectDefinition,
    /// A table or column is missing.
    #[error("The database schema is out of sync. Please run migrations or contact support.")]
    SchemaMismatch,
    /// Any other refusal by PostgreSQL; its SQLSTATE.
    #[error("database error, code: {0}")]
    Database(String),
    /// The client disconnected, or sent too slowly.
    #[error("{0}")]
    Aborted(&'static str),
    /// A refusal that only the S3 protocol knows: status, code and text.
    #[error("{2}")]
    S3(u16, &'static str, String),
    /// The image cannot be rendered; the text says why.
    #[error("{0}")]
    Image(&'static str),
    /// The caller's network has used up what visitors may upload; the seconds until there is room again.
    #[error("{0}")]
    TooMany(&'static str, u64),
    /// The server has too much of this kind of work; the text says which.
    #[error("{0}")]
    Busy(&'static str),
    /// There is no room for more bytes; the text says where.
    #[error("{0}")]
    OutOfSpace(&'static str),
    /// The S3 server that holds the bytes does not answer, or not as a working one.
    #[error("The object store cannot be reached. Please try again later.")]
    StoreAway(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The row is there, its bytes are not. Someone must act: a backup was restored without its objects.
    #[error("the bytes of version {0} are missing")]
    BlobMissing(String),
    /// A fault of the server: logged with its cause, which clients do not see.
    #[error("{context}")]
    Internal {
        /// What was being done.
        context: &'static str,
        /// What went wrong.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A bucket.
    Bucket,
    /// An object at the key that is uploaded, copied or signed.
    Key,
    /// An object at the destination of a move, or any other row.
    Resource,
}

/// The refusal of versions where the database does not have them.
pub(crate) const OBJECT_VERSIONS: Error = Error::FeatureNotEnabled("Versions of objects are not enabled");

impl Error {
    /// Wraps an unexpected failure with what was being done.
    pub fn internal(context: &'static str) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> Self {
        move |source| Self::Internal { context, source }
    }

    /// The text for the log: with the innermost cause, which clients do not see.
    pub(crate) fn with_cause(&self) -> String {
        let cause = std::iter::successors(std::error::Error::source(self), |error| error.source()).last();
        cause.map_or_else(|| self.to_string(), |cause| format!("{self}: {cause}"))
    }

    /// The public code, as S3 names it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSuchBucket => "NoSuchBucket",
            Self::NoSuchKey => "NoSuchKey",
            Self::NoSuchUpload => "NoSuchUpload",
            Self::NoSuchLifecycle => "NoSuchLifecycleConfiguration",
            Self::S3(_, code, _) => code,
            Self::InvalidRequest(_)
            | Self::Schema(_)
            | Self::JsonBody(_)
            | Self::NoRoute(..)
            | Self::InvalidRobotsTag(_)
            | Self::RelatedMissing
            | Self::Metadata(_)
            | Self::Image(_) => "InvalidRequest",
            Self::JsonTooLarge | Self::EntityTooLarge => "EntityTooLarge",
            Self::ContentType | Self::InvalidMimeType(_) => "InvalidMimeType",
            Self::BadUrl(_) => "FST_ERR_BAD_URL",
            Self::InvalidParameter(_) => "InvalidParameter",
            Self::MissingParameter(_) => "MissingParameter",
            Self::InvalidJwt(_) => "InvalidJWT",
            Self::InvalidSignature(_) => "InvalidSignature",
            Self::InvalidKey(_) => "InvalidKey",
            Self::InvalidBucketName => "InvalidBucketName",
            Self::InvalidRange(_) => "InvalidRange",
            Self::PreconditionFailed => "PreconditionFailed",
            Self::AccessDenied(_) | Self::InvalidRole => "AccessDenied",
            Self::AlreadyExists(Kind::Bucket) => "BucketAlreadyExists",
            Self::AlreadyExists(Kind::Key) => "KeyAlreadyExists",
            Self::AlreadyExists(Kind::Resource) => "ResourceAlreadyExists",
            Self::BucketNotEmpty => "ResourceNotEmpty",
            Self::Referenced(_) => "ResourceReferenced",
            Self::FeatureNotEnabled(_) => "FeatureNotEnabled",
            Self::Locked => "ResourceLocked",
            Self::DatabaseTimeout => "DatabaseTimeout",
            Self::DatabaseLost => "DatabaseUnavailable",
            Self::DatabaseReadOnly => "DatabaseReadOnly",
            Self::TransactionAborted => "DatabaseTransactionAborted",
            Self::InvalidObjectDefinition => "DatabaseInvalidObjectDefinition",
            Self::SchemaMismatch => "DatabaseSchemaMismatch",
            Self::Database(_) => "DatabaseError",
            Self::Aborted(_) => "Aborted",
            Self::TooMany(..) => "SlowDown",
            Self::Busy(_) => "ServerBusy",
            Self::OutOfSpace(_) => "InsufficientStorage",
            Self::StoreAway(_) => "StoreUnavailable",
            Self::BlobMissing(_) | Self::Internal { .. } => "InternalError",
        }
    }

    /// The status the failure really has: the one in the body, and on the wire where a protocol wants it (TUS, S3).
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::NoSuchBucket
            | Self::NoSuchKey
            | Self::NoSuchUpload
            | Self::NoSuchLifecycle
            | Self::NoRoute(..)
            | Self::RelatedMissing => 404,
            Self::ContentType | Self::InvalidMimeType(_) => 415,
            Self::JsonTooLarge | Self::EntityTooLarge => 413,
            Self::InvalidRange(_) => 416,
            Self::PreconditionFailed => 412,
            Self::AccessDenied(_) | Self::InvalidRole => 403,
            Self::AlreadyExists(_) | Self::BucketNotEmpty | Self::Referenced(_) | Self::FeatureNotEnabled(_) => 409,
            Self::S3(status, ..) => *status,
            Self::Locked => 423,
            Self::TooMany(..) => 429,
            Self::OutOfSpace(_) => 507,
            Self::DatabaseTimeout => 544,
            Self::DatabaseLost
            | Self::DatabaseReadOnly
            | Self::InvalidObjectDefinition
            | Self::SchemaMismatch
            | Self::Busy(_)
            | Self::StoreAway(_) => 503,
            Self::Database(_)
            | Self::TransactionAborted
            | Self::Aborted(_)
            | Self::BlobMissing(_)
            | Self::Internal { .. } => 500,
            _ => 400,
        }
    }

    /// The `error` field: the label older clients know, else the code.
    fn label(&self) -> &'static str {
        match self {
            Self::NoSuchBucket => "Bucket not found",
            Self::NoSuchKey => "not_found",
            Self::Schema(_) => "Error",
            Self::JsonBody(_) | Self::JsonTooLarge => "FastifyError",
            Self::ContentType | Self::InvalidMimeType(_) => "invalid_mime_type",
            Self::InvalidBucketName => "Invalid Input",
            Self::InvalidRange(_) => "invalid_range",
            Self::InvalidRobotsTag(_) => "invalid_x_robots_tag",
            Self::EntityTooLarge => "Payload too large",
            Self::AccessDenied(_) | Self::InvalidRole => "Unauthorized",
            Self::AlreadyExists(_) => "Duplicate",
            Self::NoRoute(..) => "Not Found",
            Self::BlobMissing(_) | Self::Internal { .. } => "Internal",
            other => other.code(),
        }
    }

    /// The text clients see: causes of the server's own faults stay in the log.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::BlobMissing(_) | Self::Internal { .. } => "Internal Server Error".to_owned(),
            other => other.to_string(),
        }
    }

    /// The HTTP status of the JSON endpoints: 400 for nearly everything.
    fn http_status(&self) -> StatusCode {
        let status = match self {
            Self::InvalidRange(_)
            | Self::PreconditionFailed
            | Self::InvalidRole
            | Self::DatabaseTimeout
            | Self::DatabaseLost
            | Self::DatabaseReadOnly
            | Self::JsonTooLarge
            | Self::NoRoute(..)
            | Self::TooMany(..)
            | Self::Busy(_)
            | Self::OutOfSpace(_)
            | Self::StoreAway(_) => self.status(),
            _ if self.status() == 500 => 500,
            _ => 400,
        };
        StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST)
    }

    /// Logs a failure that an operator has to look at. The others are the client's to fix, and a full disk is logged once
    /// (`capacity`).
    pub(crate) fn log(&self) {
        let is_expected = matches!(self, Self::Aborted(_) | Self::Busy(_) | Self::OutOfSpace(_));
        if self.status() >= 500 && !is_expected {
            let cause = std::error::Error::source(self).map(ToString::to_string);
            tracing::error!(error.code = self.code(), error.cause = cause, "storage request failed: {self}");
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::response::IntoResponse;
    use serde_json::json;

    use super::*;

    async fn rendered(error: Error) -> (u16, serde_json::Value) {
        let response = error.into_response();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&to_bytes(response.into_body(), 10_000).await.unwrap()).unwrap())
    }

    #[tokio::test]
    async fn the_real_status_is_text_in_the_body() {
        let (status, body) = rendered(Error::NoSuchKey).await;
        assert_eq!(status, 400);
        assert_eq!(
            body,
            json!({"statusCode": "404", "error": "not_found", "message": "Object not found", "code": "NoSuchKey"})
        );
    }

    #[tokio::test]
    async fn ranges_timeouts_and_roles_keep_their_status() {
        assert_eq!(rendered(Error::InvalidRange(5)).await.0, 416);
        assert_eq!(rendered(Error::DatabaseTimeout).await.0, 544);
        assert_eq!(rendered(Error::InvalidRole).await.0, 403);
        assert_eq!(rendered(Error::DatabaseLost).await.0, 503);
        assert_eq!(rendered(Error::DatabaseReadOnly).await.0, 503);
        assert_eq!(rendered(Error::JsonTooLarge).await.0, 413);
    }

    #[tokio::test]
    async fn our_own_faults_tell_nothing_of_their_cause() {
        let error = Error::internal("writing /srv/secret")("disk on fire".into());
        let (status, body) = rendered(error).await;
        assert_eq!(status, 500);
        assert_eq!(
            body,
            json!({"statusCode": "500", "error": "Internal", "message": "Internal Server Error", "code": "InternalError"})
        );
    }
}
