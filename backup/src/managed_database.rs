//! Where the database is its provider's: a moment, and the files that rows named at it. With the provider's database of any moment between
//! two of these come exactly its files.

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

/// Written where there is no log to count the segments of.
const SEGMENT_BYTES: u64 = 16 << 20;

/// Lists the files of this moment in a series. It is complete when the returned manifest was written.
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
