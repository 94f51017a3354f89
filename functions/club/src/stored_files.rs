//! Files of the project's storage, for mails: what there is, its bytes, and links to it.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use cloch_functions::{Call, FunctionError};
use cloch_sql::Caller;
use cloch_storage::StorageAs;

/// A stored object.
#[derive(Clone, Debug)]
pub(crate) struct StoredFile {
    pub(crate) path: String,
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) content_type: String,
    pub(crate) created_at: DateTime<Utc>,
}

/// Which of these paths a bucket holds: as the caller, whose policies decide, or, for what only the function may see, as the
/// server.
pub(crate) async fn find(
    call: &Call,
    bucket: &str,
    paths: &[String],
    as_server: bool,
) -> Result<Vec<StoredFile>, FunctionError> {
    let mut transaction = match as_server {
        true => call.database().admin().begin().await?,
        false => call.database().begin_as(call.caller()).await?,
    };
    let rows = sqlx::query!(
        r#"select name as "name!", coalesce((metadata ->> 'size')::bigint, 0) as "size!",
                  coalesce(metadata ->> 'mimetype', 'application/octet-stream') as "content_type!",
                  created_at as "created_at!"
             from storage.objects
            where bucket_id = $1 and name = any($2)"#,
        bucket,
        paths,
    )
    .fetch_all(&mut *transaction)
    .await?;
    let found = rows.into_iter().map(|row| StoredFile {
        path: row.name,
        size: u64::try_from(row.size).unwrap_or(0),
        content_type: row.content_type,
        created_at: row.created_at,
    });
    Ok(found.collect())
}

/// An object's bytes, as the server: whoever names it has been asked by then.
pub(crate) async fn read(call: &Call, bucket: &str, file: &StoredFile) -> Result<Bytes, FunctionError> {
    let failed = |error| FunctionError::dependency("Reading an attachment", &error);
    as_server(call)?.read(bucket, &file.path, file.size).await.map_err(failed)
}

/// A link that anybody who has it may follow for some seconds.
pub(crate) async fn link(call: &Call, bucket: &str, file: &StoredFile, seconds: i64) -> Result<String, FunctionError> {
    let failed = |error| FunctionError::dependency("Linking an attachment", &error);
    let path = as_server(call)?.signed_path(bucket, &file.path, seconds).await.map_err(failed)?;
    Ok(format!("{}storage/v1{path}", call.services().public_url))
}

fn as_server(call: &Call) -> Result<StorageAs, FunctionError> {
    let storage = call.services().storage.as_ref();
    let storage = storage.ok_or_else(|| FunctionError::bad_input("attachments: this project has no storage"))?;
    Ok(storage.on_behalf_of(Caller::service_role()))
}
