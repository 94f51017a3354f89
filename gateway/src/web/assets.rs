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

/// The embedded documentation. Text files are embedded only in compressed form (`.gz`, web/docs/build/pack.ts), so that the program grows by
/// less than 2 MB.
#[derive(RustEmbed)]
#[folder = "../web/docs/dist/packed"]
#[allow_missing = true]
struct EmbeddedDocs;

#[derive(Clone, Debug)]
pub(super) enum Assets {
    /// The web app of the built-in example (web/club), embedded in the program.
    Embedded,
    /// The dashboard, embedded in the program.
    Dashboard,
    /// The documentation, embedded in the program.
    Docs,
    /// A folder that contains a built app. Its files are read again for each request, so that a new build is served immediately.
    Folder(PathBuf),
}

impl Assets {
    /// Returns the content of a file by its path relative to the app's root. `None` if the file does not exist or is outside of the root.
    pub(super) async fn get(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Embedded => Embedded::get(path).map(|file| file.data),
            Self::Dashboard => EmbeddedDashboard::get(path).map(|file| file.data),
            Self::Docs => EmbeddedDocs::get(path).map(|file| file.data),
            Self::Folder(root) => {
                let relative = Path::new(path);
                let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
                if !is_plain {
                    return None;
                }
                let file = root.join(relative);
                // Check the resolved path, because a symbolic link may lead out of the app's folder.
                let resolved = tokio::fs::canonicalize(&file).await.ok()?;
                let root = tokio::fs::canonicalize(root).await.ok()?;
                if !resolved.starts_with(root) {
                    return None;
                }
                tokio::fs::read(resolved).await.ok().map(Cow::Owned)
            }
        }
    }

    /// Whether the app's text files are stored in compressed form only.
    pub(super) fn is_packed(&self) -> bool {
        matches!(self, Self::Docs)
    }

    /// Whether the app has an index.html.
    pub(super) async fn has_page(&self) -> bool {
        self.get("index.html").await.is_some()
    }
}
