//! The temporary folder of a restore, which is moved to its final path or deleted.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use cloch_sql::embedded::{Account, link_target};

use crate::error::{BackupError, Result};

/// Text between the final data folder's name and the unique suffix in the name of a temporary data folder.
const INFIX: &str = ".restoring-";

/// Temporary data folder of a restore. Dropping this value deletes the folder, unless the folder was moved to its final path.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Path of the temporary data folder.
    pub(crate) data: PathBuf,
    /// Folder of the restored cluster. It is outside the data folder if PostgreSQL's account cannot enter the data folder.
    pub(crate) cluster: PathBuf,
    /// Operating system account that runs PostgreSQL.
    pub(crate) account: Account,
    is_published: bool,
}

impl Draft {
    /// Creates a temporary data folder beside the final data folder.
    pub(crate) fn make(data: &Path) -> Result<Self> {
        let account = Account::choose();
        let name = data.file_name().unwrap_or_default().to_string_lossy();
        let own = format!("{name}{INFIX}{}", uuid::Uuid::new_v4().simple());
        let folder = data.with_file_name(own);
        fs::create_dir_all(&folder).map_err(BackupError::io(&folder))?;
        let mode = if account == Account::Own { 0o700 } else { 0o711 };
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).map_err(BackupError::io(&folder))?;
        let mut draft = Self { cluster: folder.join("db"), data: folder, account, is_published: false };
        draft.cluster = account.temporary_cluster_folder(&draft.cluster)?;
        account.make_folder(&draft.cluster)?;
        Ok(draft)
    }

    /// Creates a temporary data folder beside the final data folder, without a folder for a database cluster. Used for a project whose database
    /// an external provider hosts.
    pub(super) fn without_cluster(data: &Path) -> Result<Self> {
        let draft = Self::make(data)?;
        fs::remove_dir(&draft.cluster).map_err(BackupError::io(&draft.cluster))?;
        // Also remove the link `db`, which exists if the cluster's folder is outside the data folder.
        let _ = fs::remove_file(draft.data.join("db"));
        Ok(draft)
    }

    /// Deletes the temporary folders that killed restores of a data folder have left.
    pub(super) fn sweep(data: &Path) -> Result<()> {
        let (account, parent) = (Account::choose(), data.parent().unwrap_or(data));
        let prefix = format!("{}{INFIX}", data.file_name().unwrap_or_default().to_string_lossy());
        for entry in fs::read_dir(parent).map_err(BackupError::io(parent))?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let folder = entry.path();
                let cluster = folder.join("db");
                let cluster = link_target(&cluster).unwrap_or(cluster);
                drop(Self { cluster, data: folder, account, is_published: false });
            }
        }
        Ok(())
    }

    /// Moves the temporary data folder to its final path, which must be absent or an empty folder.
    pub(super) fn publish(mut self, data: &Path) -> Result<()> {
        self.publish_part(&self.data, data)?;
        self.is_published = true;
        Ok(())
    }

    /// Moves a subfolder of the temporary data folder to its final path, which must be absent or an empty folder.
    pub(super) fn publish_part(&self, folder: &Path, data: &Path) -> Result<()> {
        if data.exists() {
            fs::remove_dir(data).map_err(BackupError::io(data))?;
        }
        fs::rename(folder, data).map_err(BackupError::io(data))?;
        let parent = data.parent().unwrap_or(data);
        fs::File::open(parent).and_then(|folder| folder.sync_all()).map_err(BackupError::io(parent))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.is_published {
            return;
        }
        if !self.cluster.starts_with(&self.data) {
            // The name of the parent folder contains the unique suffix of this restore. Therefore no other restore uses the folder.
            let _ = fs::remove_dir_all(self.cluster.parent().unwrap_or(&self.cluster));
        }
        let _ = fs::remove_dir_all(&self.data);
    }
}
