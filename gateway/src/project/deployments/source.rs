//! Returns the source files of a function.

use std::path::{Path, PathBuf};

use cloch_functions::deno::{FUNCTIONS_FOLDER, MAX_UPLOAD_FILES, Source, Versions};

use crate::project::{Project, ProjectError};

impl Project {
    /// Returns the path of a function's entrypoint, and its files with their contents.
    pub(crate) async fn function_files(&self, slug: &str) -> Result<(PathBuf, Vec<(PathBuf, Vec<u8>)>), ProjectError> {
        self.function(slug)?;
        let source = self
            .engine()?
            .source(slug)
            .ok_or_else(|| ProjectError::Invalid("The function has no code here".to_owned()))?;
        let uploaded = self.engine()?.versions().uploaded(slug).is_some();
        let root = if uploaded { source.project.join(FUNCTIONS_FOLDER).join(slug) } else { source.project.clone() };
        // Clients store the files at paths relative to the entrypoint.
        let entrypoint = source.entrypoint.strip_prefix(&root).unwrap_or(&source.entrypoint).to_owned();
        let read = tokio::task::spawn_blocking(move || files(&source, &root));
        let files =
            read.await.map_err(|error| ProjectError::internal("reading the files of a function failed", error))?;
        Ok((entrypoint, files?))
    }
}

/// Returns a function's files with the paths of the upload, or relative to the project's folder. Files named `.env*` are left out, because
/// they contain secrets.
fn files(source: &Source, root: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, ProjectError> {
    let unreadable = |error: String| ProjectError::internal("reading the files of a function failed", error);
    let mut listed = Versions::files_of(source).map_err(unreadable)?;
    listed.retain(|file| !file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".env")));
    // Too many files are an error, because an incomplete set of files would change the function at its next deployment.
    if listed.len() > MAX_UPLOAD_FILES {
        return Err(ProjectError::Invalid(format!(
            "The function has more than the {MAX_UPLOAD_FILES} files of an upload"
        )));
    }
    let mut files = Vec::new();
    for file in listed {
        let content = std::fs::read(&file).map_err(|error| unreadable(format!("{}: {error}", file.display())))?;
        let relative = file.strip_prefix(root).map_err(|_| {
            ProjectError::Invalid(format!(
                "The function has a file outside of the project's folder: {}",
                file.display()
            ))
        })?;
        files.push((relative.to_owned(), content));
    }
    Ok(files)
}
