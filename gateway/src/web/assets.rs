//! Where the files of a built web app come from: the program itself, or a folder.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../web/club/dist"]
#[allow_missing = true]
struct Embedded;

/// The files of one built app.
#[derive(Clone, Debug)]
pub(super) enum Assets {
    /// Compiled in.
    Embedded,
    /// On disk, read at each request, so that a new build shows at once.
    Folder(PathBuf),
}

impl Assets {
    /// One file by its path under the app's root; none where there is no such file, or the path leads elsewhere.
    pub(super) async fn get(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Embedded => Embedded::get(path).map(|file| file.data),
            Self::Folder(root) => {
                let relative = Path::new(path);
                let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
                if !is_plain {
                    return None;
                }
                let file = root.join(relative);
                // A link may point out of the folder: what counts is where it ends.
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
