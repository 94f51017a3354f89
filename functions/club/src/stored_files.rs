//! Reads files from the project's storage for mails: metadata, content and signed links.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use cloch_functions::{Call, FunctionError, Services};
use cloch_sql::Caller;
use cloch_storage::StorageAs;
use sqlx::PgExecutor;

#[derive(Clone, Debug)]
pub(crate) struct StoredFile {
    pub(crate) path: String,
    /// Size of the file in bytes.
    pub(crate) size: u64,
    pub(crate) content_type: String,
    pub(crate) created_at: DateTime<Utc>,
}

impl StoredFile {
    /// Returns the original file name, without the timestamp that the upload form puts before the name.
    pub(crate) fn file_name(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        match name.split_once('-') {
            Some((stamp, rest))
                if stamp.len() >= 10 && stamp.bytes().all(|byte| byte.is_ascii_digit()) && !rest.is_empty() =>
            {
                rest
            }
            _ => name,
        }
    }
}

/// Returns the files in a bucket that exist at the given paths. The query runs with the caller's role, so that policies decide. With
/// `as_server`, it runs with the service role, for files that only the function may read.
pub(crate) async fn find(
    call: &Call,
    bucket: &str,
    paths: &[String],
    as_server: bool,
) -> Result<Vec<StoredFile>, FunctionError> {
    match as_server {
        true => find_any(call.services(), bucket, paths).await,
        false => find_in(&mut *call.database().begin_as(call.caller()).await?, bucket, paths).await,
    }
}

/// Returns the files in a bucket that exist at the given paths. The query runs with the service role.
pub(crate) async fn find_any(
    services: &Services,
    bucket: &str,
    paths: &[String],
) -> Result<Vec<StoredFile>, FunctionError> {
    find_in(services.database.admin(), bucket, paths).await
}

async fn find_in(
    executor: impl PgExecutor<'_>,
    bucket: &str,
    paths: &[String],
) -> Result<Vec<StoredFile>, FunctionError> {
    let rows = sqlx::query!(
        r#"select name as "name!", coalesce((metadata ->> 'size')::bigint, 0) as "size!",
                  coalesce(metadata ->> 'mimetype', 'application/octet-stream') as "content_type!",
                  created_at as "created_at!"
             from storage.objects
            where bucket_id = $1 and name = any($2)"#,
        bucket,
        paths,
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| StoredFile {
        path: row.name,
        size: u64::try_from(row.size).unwrap_or(0),
        content_type: row.content_type,
        created_at: row.created_at,
    });
    Ok(found.collect())
}

/// Reads the content of a storage object with the service role. Access must have been checked before this call.
pub(crate) async fn read(services: &Services, bucket: &str, file: &StoredFile) -> Result<Bytes, FunctionError> {
    let failed = |error| FunctionError::dependency("Reading an attachment", &error);
    as_server(services)?.read(bucket, &file.path, file.size).await.map_err(failed)
}

/// Returns a signed URL of a file. The URL is valid for `seconds` seconds.
pub(crate) async fn link(
    services: &Services,
    bucket: &str,
    file: &StoredFile,
    seconds: i64,
) -> Result<String, FunctionError> {
    let failed = |error| FunctionError::dependency("Linking an attachment", &error);
    let path = as_server(services)?.signed_path(bucket, &file.path, seconds).await.map_err(failed)?;
    Ok(format!("{}storage/v1{path}", services.public_url))
}

fn as_server(services: &Services) -> Result<StorageAs, FunctionError> {
    let storage = services.storage.as_ref();
    let storage = storage.ok_or_else(|| FunctionError::bad_input("attachments: this project has no storage"))?;
    Ok(storage.on_behalf_of(Caller::service_role()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_as_its_owner_named_it() {
        let named = |path: &str| {
            let stored =
                StoredFile { path: path.to_owned(), size: 0, content_type: String::new(), created_at: Utc::now() };
            stored.file_name().to_owned()
        };
        assert_eq!(named("artist/ann/1720000000000-my-picture.png"), "my-picture.png");
        assert_eq!(named("artist/ann/12-x.png"), "12-x.png");
        assert_eq!(named("1720000000000-"), "1720000000000-");
    }
}
