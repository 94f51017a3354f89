//! Errors of the storage API. Only this module converts the errors into HTTP responses of the JSON endpoints.
//!
//! Most errors have HTTP status 400, with the actual status as text in the body field `statusCode`, which clients read.

mod database;
mod header;
mod response;
mod token;

use axum::http::StatusCode;

/// Result type of fallible functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a storage request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bucket does not exist, or the RLS policies hide it from the caller.
    #[error("Bucket not found")]
    NoSuchBucket,
    /// The object does not exist, or the RLS policies hide it from the caller.
    #[error("Object not found")]
    NoSuchKey,
    /// The bucket has no lifecycle rules.
    #[error("The lifecycle configuration does not exist")]
    NoSuchLifecycle,
    /// No resumable upload or S3 multipart upload has this id.
    #[error("Upload not found")]
    NoSuchUpload,
    /// The request is invalid. Contains the reason.
    #[error("{0}")]
    InvalidRequest(String),
    /// A body, query or header violates the endpoint's schema. Contains the first violation.
    #[error("{0}")]
    Schema(String),
    /// The body is not valid JSON although its content type is JSON.
    #[error("{0}")]
    JsonBody(&'static str),
    /// The JSON body exceeds the size limit of the endpoint.
    #[error("Request body is too large")]
    JsonTooLarge,
    /// `Content-Type` does not have the form `type/subtype`.
    #[error("Invalid Content-Type header")]
    ContentType,
    /// The path, as sent by the client, is not valid percent-encoding.
    #[error("'{0}' is not a valid url component")]
    BadUrl(String),
    /// No route exists for this HTTP method and path.
    #[error("Route {0}:{1} not found")]
    NoRoute(String, String),
    /// A request parameter has an invalid value. Contains the reason.
    #[error("{0}")]
    InvalidParameter(String),
    /// A request parameter is missing. Contains the name of the parameter.
    #[error("Missing Required Parameter {0}")]
    MissingParameter(&'static str),
    /// The token of a signed URL is invalid or expired. Contains the reason.
    #[error("{0}")]
    InvalidJwt(&'static str),
    /// A signed URL was not signed for the request, or a form upload violates its POST policy. Contains the text for the client.
    #[error("{0}")]
    InvalidSignature(&'static str),
    /// The object name contains invalid characters. Contains the object name.
    #[error("Invalid key: {0}")]
    InvalidKey(String),
    /// The bucket name is invalid.
    #[error("Bucket name invalid")]
    InvalidBucketName,
    /// The requested byte range is unsatisfiable. Contains the size of the object in bytes.
    #[error("invalid range provided")]
    InvalidRange(u64),
    /// A condition in a conditional header of the request (such as `If-Match`) is false.
    #[error("At least one of the pre-conditions you specified did not hold")]
    PreconditionFailed,
    /// The `X-Robots-Tag` header contains a rule that crawlers do not support. Contains the invalid rule.
    #[error("Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: \"{0}\"")]
    InvalidRobotsTag(String),
    /// The bucket stores images without metadata, and the metadata of this file cannot be removed. Contains the reason.
    #[error("This bucket stores pictures without metadata, and that of this file cannot be removed: {0}")]
    Metadata(String),
    /// The bucket does not accept the media type of the file. Contains the media type.
    #[error("mime type {0} is not supported")]
    InvalidMimeType(String),
    /// The content of a file does not have the declared media type. Contains the declared type and the detected one.
    #[error("mime type {0} is not supported: the content of the file is {1}")]
    ContentMismatch(String, &'static str),
    /// The object exceeds the size limit of the bucket or the project.
    #[error("The object exceeded the maximum allowed size")]
    EntityTooLarge,
    /// A policy, a grant or a token check refused the request. Contains the text for the client.
    #[error("{0}")]
    AccessDenied(String),
    /// The request needs a feature of Supabase's platform that this server lacks. Contains the text for the client.
    #[error("{0}")]
    FeatureNotEnabled(&'static str),
    /// The endpoint requires the service role.
    #[error("Access denied: Invalid role")]
    InvalidRole,
    /// The name of a bucket or object is already in use. The kind of resource determines the error code.
    #[error("The resource already exists")]
    AlreadyExists(Kind),
    /// The bucket still contains objects.
    #[error("The bucket you tried to delete is not empty")]
    BucketNotEmpty,
    /// Other database rows refer to the row that the request deletes.
    #[error("{0}")]
    Referenced(&'static str),
    /// The written database row refers to a row that does not exist.
    #[error("The related resource does not exist")]
    RelatedMissing,
    /// Another transaction has locked or changed the database row.
    #[error("The resource is locked")]
    Locked,
    /// The database query timed out, or no connection was available in time.
    #[error("The connection to the database timed out")]
    DatabaseTimeout,
    /// PostgreSQL is unreachable, for example during a restart or a failover.
    #[error("The database cannot be reached. Please try again.")]
    DatabaseLost,
    /// PostgreSQL is in recovery or read-only.
    #[error("The database is currently in read-only mode. Please try again later.")]
    DatabaseReadOnly,
    /// An earlier statement of the database transaction failed.
    #[error("The database transaction has been aborted. Roll back the transaction before retrying.")]
    TransactionAborted,
    /// The definition of a database object is invalid, for example a row-level security policy that refers to itself.
    #[error("The database schema is invalid or incompatible.")]
    InvalidObjectDefinition,
    /// A database table or column is missing.
    #[error("The database schema is out of sync. Please run migrations or contact support.")]
    SchemaMismatch,
    /// Any other PostgreSQL error. Contains its SQLSTATE.
    #[error("database error, code: {0}")]
    Database(String),
    /// The client disconnected or sent its request body too slowly.
    #[error("{0}")]
    Aborted(&'static str),
    /// An error that exists only in the S3 protocol or for vector buckets. Contains HTTP status, error code and text.
    #[error("{2}")]
    S3(u16, &'static str, String),
    /// The source image cannot be rendered. Contains the reason.
    #[error("{0}")]
    Image(&'static str),
    /// The network of a visitor (a caller without a session) has exceeded an upload limit. Contains a text and the seconds to wait.
    #[error("{0}")]
    TooMany(&'static str, u64),
    /// Too many operations of the same kind are running. Contains the text for the client.
    #[error("{0}")]
    Busy(&'static str),
    /// The database's disk is full. The error is logged when it occurs.
    #[error("{}", cloch_core::disk_full::MESSAGE)]
    DatabaseFull,
    /// No space is left: the disk of the files is full, the quota is used up, or the S3 server is full. Contains the text for the client.
    #[error("{0}")]
    OutOfSpace(&'static str),
    /// The S3 server of the storage backend is unreachable or misconfigured.
    #[error("The object store cannot be reached. Please try again later.")]
    StoreAway(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The object's row exists but the blob with its content is missing. The operator must act; a possible cause is a restored backup without
    /// the blobs.
    #[error("the bytes of version {0} are missing")]
    BlobMissing(String),
    /// An internal error. The cause is logged and is not sent to clients.
    #[error("{context}")]
    Internal {
        /// The operation that failed.
        context: &'static str,
        /// Cause of the internal error.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Kind of the resource that already has the requested name, for the error [`Error::AlreadyExists`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A bucket.
    Bucket,
    /// An object that exists at the destination of an upload, copy or signed upload URL.
    Key,
    /// An object that exists at the destination of a move, or any other existing row.
    Resource,
}

/// Error for requests that need versioning if the database does not support versioning.
pub(crate) const OBJECT_VERSIONS: Error = Error::FeatureNotEnabled("Versions of objects are not enabled");

impl Error {
    /// Returns a function that wraps an unexpected error with `context`, the operation that failed.
    pub fn internal(context: &'static str) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> Self {
        move |source| Self::Internal { context, source }
    }

    /// Returns the error text for the log. Unlike the text for clients, it includes the innermost cause.
    pub(crate) fn with_cause(&self) -> String {
        let cause = std::iter::successors(std::error::Error::source(self), |error| error.source()).last();
        cause.map_or_else(|| self.to_string(), |cause| format!("{self}: {cause}"))
    }

    /// Returns the error code for clients, as defined by the S3 protocol.
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
            Self::ContentType | Self::InvalidMimeType(_) | Self::ContentMismatch(..) => "InvalidMimeType",
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
            Self::DatabaseFull => "DatabaseFull",
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

    /// Returns the actual status of the error: the `statusCode` in the JSON body, and the HTTP status in protocols that require it (TUS,
    /// S3).
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::NoSuchBucket
            | Self::NoSuchKey
            | Self::NoSuchUpload
            | Self::NoSuchLifecycle
            | Self::NoRoute(..)
            | Self::RelatedMissing => 404,
            Self::ContentType | Self::InvalidMimeType(_) | Self::ContentMismatch(..) => 415,
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
            | Self::DatabaseFull
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

    /// Returns the value of the `error` field in the JSON body: the label that older clients expect, or the error code.
    fn label(&self) -> &'static str {
        match self {
            Self::NoSuchBucket => "Bucket not found",
            Self::NoSuchKey => "not_found",
            Self::Schema(_) => "Error",
            Self::JsonBody(_) | Self::JsonTooLarge => "FastifyError",
            Self::ContentType | Self::InvalidMimeType(_) | Self::ContentMismatch(..) => "invalid_mime_type",
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

    /// Returns the text for clients. The causes of internal errors are not included.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::BlobMissing(_) | Self::Internal { .. } => "Internal Server Error".to_owned(),
            other => other.to_string(),
        }
    }

    /// Returns the HTTP status of the JSON endpoints: 400 for most errors.
    fn http_status(&self) -> StatusCode {
        let status = match self {
            Self::InvalidRange(_)
            | Self::PreconditionFailed
            | Self::InvalidRole
            | Self::DatabaseTimeout
            | Self::DatabaseLost
            | Self::DatabaseReadOnly
            | Self::DatabaseFull
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

    /// Logs an error that requires the operator's attention. Errors that clients cause are not logged. A full disk is not logged here
    /// either: the module `capacity` logs it once.
    pub(crate) fn log(&self) {
        let is_expected = matches!(self, Self::Aborted(_) | Self::Busy(_) | Self::OutOfSpace(_) | Self::DatabaseFull);
        if self.status() >= 500 && !is_expected {
            let cause = std::error::Error::source(self).map(ToString::to_string);
            tracing::error!(code = self.code(), error = cause, "storage: request failed: {self}");
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
        let (status, body) = rendered(Error::DatabaseFull).await;
        assert_eq!((status, &body["code"]), (503, &json!("DatabaseFull")));
        assert_eq!(body["message"], json!(cloch_core::disk_full::MESSAGE));
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
