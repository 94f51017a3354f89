//! The files of a built web app: embedded in the program, or in a folder.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../web/club/dist"]
#[allow_missing = true]
struct Embedded;

#[derive(RustEmbed)]
#[folder = "../web/dashboard/dist"]
#[allow_missing = true]
struct EmbeddedDashboard;

/// The files of one built app.
#[derive(Clone, Debug)]
pub(super) enum Assets {
    /// Embedded in the program.
    Embedded,
    /// The operators' app, embedded in the program.
    Dashboard,
    /// On disk, read at each request, so that a new build is served at once.
    Folder(PathBuf),
}

impl Assets {
    /// A file by its path below the app's root; `None` if there is none, or the path leads outside.
    pub(super) async fn get(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Embedded => Embedded::get(path).map(|file| file.data),
            Self::Dashboard => EmbeddedDashboard::get(path).map(|file| file.data),
            Self::Folder(root) => {
                let relative = Path::new(path);
                let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
                if !is_plain {
                    return None;
                }
                let file = root.join(relative);
                // A symbolic link may lead outside of the folder, so the resolved path is checked.
                let resolved = tokio::fs::canonicalize(&file).await.ok()?;
                let root = tokio::fs::canonicalize(root).await.ok()?;
                if !resolved.starts_with(root) {
                    return None;
                }
                tokio::fs::read(resolved).await.ok().map(Cow::Owned)
            }
        }
    }

    /// Whether there is an app at all.
    pub(super) async fn has_page(&self) -> bool {
        self.get("index.html").await.is_some()
    }
}
