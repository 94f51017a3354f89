//! Deploys changed files of a function as a new version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use tokio::sync::Mutex;

use super::{Deployment, Metadata};
use crate::project::{Project, ProjectError};

/// Lock that is held while changed files are deployed. If two operators have edited the same revision of a function, the second deployment
/// is refused, because the first deployment has changed the revision.
pub(super) static EDITING: Mutex<()> = Mutex::const_new(());

/// Changed files of a function, by path: the new text, or `None` if the file is removed.
pub(crate) type Changes = BTreeMap<String, Option<String>>;

impl Project {
    /// Deploys a function with changed files as a new version, and serves this version. `revision` is the revision of the files that the
    /// operator has edited. If the function has another revision now, nothing is deployed.
    pub(crate) async fn deploy_changes(
        &self,
        slug: &str,
        revision: &str,
        changes: Changes,
    ) -> Result<Deployment, ProjectError> {
        let _one_at_a_time = EDITING.lock().await;
        self.require_versions()?;
        let source = self.function_source(slug).await?;
        if source.revision != revision {
            let message = "The function was changed since you opened its files: nothing was deployed";
            return Err(ProjectError::Conflict(message.to_owned()));
        }
        let before = self.engine()?.versions().uploaded(slug);
        let import_map = match &before {
            Some(before) => before.import_map_path.clone(),
            None => source.import_map.as_deref().map(text),
        };
        let metadata = Metadata {
            name: before.map(|before| before.name),
            entrypoint_path: text(&source.entrypoint),
            import_map_path: import_map,
            // `files` already contains all static files, so no pattern is needed.
            static_patterns: Vec::new(),
            verify_jwt: None,
        };
        let files = with_changes(source.files, changes)?;
        let deployed = self.deploy(slug, metadata, files, false).await?;
        // The revision is checked again, because another client may have deployed a version while the imports of the new version were
        // resolved, which can take minutes.
        let number = deployed.version;
        if self.function_source(slug).await?.revision != revision {
            let message = format!(
                "The function was changed while version {number} was prepared: version {number} is kept and is not served"
            );
            return Err(ProjectError::Conflict(message));
        }
        self.serve_version(slug, number).await?;
        Ok(deployed)
    }

    /// Refuses a deployment on a server that serves no deployed versions.
    pub(super) fn require_versions(&self) -> Result<(), ProjectError> {
        if self.engine()?.serves_versions() {
            return Ok(());
        }
        let message = "This server serves the project's folder and no deployed versions: change the files there";
        Err(ProjectError::Invalid(message.to_owned()))
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns the files of the new version: `files` with `changes` applied.
fn with_changes(files: Vec<(PathBuf, Vec<u8>)>, changes: Changes) -> Result<Vec<(String, Bytes)>, ProjectError> {
    let mut all: BTreeMap<String, Bytes> =
        files.into_iter().map(|(path, content)| (text(&path), content.into())).collect();
    for (path, content) in changes {
        match content {
            Some(content) => drop(all.insert(path, content.into())),
            None if all.remove(&path).is_none() => {
                return Err(ProjectError::Invalid(format!("The function has no file {path}")));
            }
            None => {}
        }
    }
    Ok(all.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_made_to_the_files() {
        let files = || vec![(PathBuf::from("a.ts"), b"1".to_vec()), (PathBuf::from("b.bin"), vec![0xff])];
        let changes = |changes: &[(&str, Option<&str>)]| {
            changes.iter().map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned))).collect::<Changes>()
        };
        let changed = with_changes(files(), changes(&[("a.ts", Some("2")), ("c/d.ts", Some("3"))])).unwrap();
        let expected: [(&str, &[u8]); 3] = [("a.ts", b"2"), ("b.bin", &[0xff]), ("c/d.ts", b"3")];
        let expected = expected.map(|(path, content)| (path.to_owned(), Bytes::copy_from_slice(content)));
        assert_eq!(changed, expected);
        assert_eq!(with_changes(files(), changes(&[("a.ts", None)])).unwrap().len(), 1);
        assert!(matches!(with_changes(files(), changes(&[("x.ts", None)])), Err(ProjectError::Invalid(_))));
    }
}
