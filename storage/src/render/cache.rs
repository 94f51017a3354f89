//! Rendered images, kept in a folder of bounded size, and the turns to make one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use moka::notification::RemovalCause;
use moka::sync::Cache;
use uuid::Uuid;

use super::pixels::Format;
use super::turn::{Turn, Turns};
use crate::backend::private;
use crate::error::Result;
use crate::settings::Images;

/// What a file takes at least, in bytes: a block of the disk, its name there, and its entry here.
const MIN_WEIGHT: u32 = 4096;

/// Results of renderings, and the right to make one.
#[derive(Debug)]
pub(crate) struct Rendered {
    turns: Turns,
    folder: Option<Arc<Path>>,
    /// The sizes of the files in the folder.
    kept: Cache<String, u32>,
}

impl Rendered {
    /// Opens the folder and counts what is in it. A folder that cannot be used is as good as none.
    pub(crate) fn open(settings: &Images) -> Self {
        let folder = settings.cache_folder.as_ref().filter(|folder| match private::create_folder(folder) {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!("rendered images are not kept: {error}");
                false
            }
        });
        let folder: Option<Arc<Path>> = folder.map(|folder| folder.as_path().into());
        let own = folder.clone();
        let kept = Cache::builder()
            .max_capacity(settings.cache_bytes)
            .weigher(|_: &String, size: &u32| (*size).max(MIN_WEIGHT))
            .eviction_listener(move |name: Arc<String>, _, cause| {
                if let (Some(folder), true) = (&own, cause != RemovalCause::Replaced) {
                    let _ = std::fs::remove_file(folder.join(&*name));
                }
            })
            .build();
        let rendered = Self { turns: Turns::new(settings), folder, kept };
        rendered.count();
        rendered
    }

    fn count(&self) {
        let entries = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        for entry in entries.into_iter().flatten().flatten() {
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            if let Ok(name) = entry.file_name().into_string() {
                self.kept.insert(name, u32::try_from(size).unwrap_or(u32::MAX));
            }
        }
    }

    /// Waits for the right to work on an image.
    ///
    /// # Errors
    /// [`crate::Error::Busy`] when too many wait already, or for too long.
    pub(crate) async fn turn(&self) -> Result<Turn> {
        self.turns.wait().await
    }

    /// A result that is kept.
    pub(crate) async fn get(&self, name: &str) -> Option<(Format, Bytes)> {
        let folder = self.folder.as_ref()?;
        self.kept.get(name)?;
        let Ok(mut bytes) = tokio::fs::read(folder.join(name)).await else {
            self.kept.invalidate(name);
            return None;
        };
        let format = Format::of_tag(bytes.pop()?)?;
        Some((format, bytes.into()))
    }

    /// Keeps a result. Nobody waits for it to be safe: it can be made again.
    pub(crate) async fn insert(&self, name: &str, (format, bytes): &(Format, Bytes)) {
        let Some(folder) = &self.folder else { return };
        let part: PathBuf = folder.join(format!("{}.part", Uuid::new_v4()));
        let mut file = bytes.to_vec();
        file.push(format.tag());
        let written = private::write(&part, &file).await;
        if written.is_ok() && tokio::fs::rename(&part, folder.join(name)).await.is_ok() {
            self.kept.insert(name.to_owned(), u32::try_from(file.len()).unwrap_or(u32::MAX));
        } else {
            let _ = tokio::fs::remove_file(&part).await;
        }
    }
}
