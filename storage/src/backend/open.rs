//! Opens the storage backend of a project.

use std::sync::Arc;

use super::Backend;
use super::file::FileBackend;
use super::s3::S3Backend;
use super::settings::BackendSettings;
use crate::error::Result;

/// Opens the storage backend that is configured in `settings`.
///
/// # Errors
/// If the folder of the blobs cannot be opened or the S3 settings are invalid.
pub fn open(settings: &BackendSettings) -> Result<Arc<dyn Backend>> {
    match settings {
        BackendSettings::File { folder } => Ok(Arc::new(FileBackend::open(folder)?)),
        BackendSettings::S3(settings) => Ok(Arc::new(S3Backend::open(settings)?)),
    }
}
