//! Backs up a project whose database an external provider hosts. Records a moment, and the files to which rows referred at that moment. If
//! the provider restores the database to any moment between two of these records, the backup target contains exactly the files that belong
//! to the restored database.

use chrono::{DateTime, Utc};
use cloch_sql::database::read_no_views;
use sqlx::{ConnectOptions, Connection, Row};

use crate::base;
use crate::error::Result;
use crate::layout::{self, BlobList, Manifest};
use crate::lsn::Lsn;
use crate::repository::Repository;
use crate::settings::Settings;
use crate::signed_json;

/// WAL segment size that is written into the manifests of hosted databases. These manifests need a valid value, although the backup contains no
/// WAL.
const SEGMENT_BYTES: u64 = 16 << 20;

/// Writes the list of the project's current files into a backup series. The list becomes visible when the caller has written the returned manifest.
pub(crate) async fn list_files(settings: &Settings, repository: &Repository, series: &str) -> Result<Manifest> {
    let begun = Utc::now();
    let id = layout::moment_name(begun);
    let mut connection = settings.login.sqlx_options().application_name("cloch backup").connect().await?;
    read_no_views(&mut connection).await?;
    let (blobs, rows) = base::named(&mut connection).await?;
    let row = sqlx::query("select clock_timestamp(), (current_setting('server_version_num')::int / 10000)::text")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    let completed: DateTime<Utc> = row.try_get(0)?;
    signed_json::put(repository, &layout::blob_list(series, &id), &BlobList::Signed { versions: blobs.clone() })
        .await?;
    Ok(Manifest {
        project_id: settings.project_id.clone(),
        postgres: row.try_get(1)?,
        system_identifier: String::new(),
        timeline: 0,
        segment_bytes: SEGMENT_BYTES,
        start: Lsn(0),
        stop: Lsn(0),
        mark: Lsn(0),
        end: Lsn(0),
        begun,
        completed,
        parts: Vec::new(),
        bytes: 0,
        objects: blobs.len() as u64,
        rows,
        is_files_only: true,
        settings: None,
    })
}
