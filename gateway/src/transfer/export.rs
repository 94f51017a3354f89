//! `cloch export`: writes a project to a folder, in the file formats of Supabase's own tools.

use std::path::Path;

use cloch_sql::database::Login;
use cloch_storage::backend::open::open as open_store;
use sqlx::{ConnectOptions, Connection};

use super::LeftOut;
use super::dump::VECTORS_FILE;
use super::dump::names::VECTORS_TABLE;
use super::files;
use super::inventory::Inventory;
use super::source::{Wanted, dump};
use crate::config::Config;
use crate::data_dir_lock;
use crate::error::CommandError;
use crate::setup::storage::both_stores;

/// Name of the folder with the stored files in the folder of an export.
pub(crate) const FILES_FOLDER: &str = "files";

#[derive(Debug)]
pub(crate) struct Exported {
    inventory: Inventory,
    left_out: Vec<LeftOut>,
    /// Number and size of the exported files; `None` if the export was requested without files.
    files: Option<files::Written>,
}

/// Exports the project into a folder. Stored files that an earlier export has written into this folder are not written again.
///
/// # Errors
/// When the database cannot be read, or the folder cannot be written.
pub(crate) async fn export(
    config: &Config,
    login: &Login,
    folder: &Path,
    sessions: bool,
    with_files: bool,
) -> Result<Exported, CommandError> {
    data_dir_lock::make_inner(folder)?;
    let wanted = Wanted { binaries: config.postgres_bin.as_deref(), sessions };
    let dumped = dump(login, &wanted, folder).await?;
    let files = if with_files {
        let mut connection = login.sqlx_options().connect().await?;
        let records = files::records(&mut connection).await?;
        connection.close().await?;
        let (files_store, s3_store) = both_stores(config);
        let store = open_store(&s3_store.unwrap_or(files_store))?;
        Some(files::write_folder(records, &*store, &folder.join(FILES_FOLDER)).await?)
    } else {
        None
    };
    Ok(Exported { inventory: dumped.inventory, left_out: dumped.left_out, files })
}

impl Exported {
    pub(crate) fn is_clean(&self) -> bool {
        self.left_out.is_empty() && self.files.as_ref().is_none_or(|files| files.failed == 0)
    }

    pub(crate) fn text(&self, folder: &Path) -> String {
        let rows: u64 = self.inventory.rows.values().sum();
        let users = self.inventory.rows.get("auth.users").copied().unwrap_or(0);
        let mut text = format!("Wrote {}: {rows} rows in all, {users} users", folder.display());
        if let Some(files) = &self.files {
            text.push_str(&format!(
                ", {} files written now ({} bytes), {} were there, {} failed",
                files.files, files.bytes, files.present, files.failed
            ));
        }
        if let Some(vectors) = self.inventory.rows.get(VECTORS_TABLE).filter(|vectors| **vectors > 0) {
            text.push_str(&format!(
                "\n  {VECTORS_FILE} contains {vectors} vectors of vector buckets: `cloch import` loads them. Supabase keeps vectors outside of \
                 the database: put them into the indexes of the new project there"
            ));
        }
        let failures = self.files.iter().flat_map(|files| &files.failures);
        for entry in self.left_out.iter().chain(failures) {
            text.push_str(&format!("\n  left out: {}: {}", entry.what, entry.reason));
        }
        text
    }
}
