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
        let root = uploaded.then(|| source.project.join(FUNCTIONS_FOLDER).join(slug));
        let read = tokio::task::spawn_blocking(move || {
            let path = |file: &Path| path_for_clients(&source, root.as_deref(), file);
            // Clients store the files at paths relative to the entrypoint.
            Ok((path(&source.entrypoint)?, files(&source, path)?))
        });
        read.await.map_err(|error| ProjectError::internal("reading the files of a function failed", error))?
    }
}

/// Returns the path of a function's file as clients see it: the path of the upload, or the path relative to the project's folder. If the function
/// imports files outside the project's folder, all paths are relative to the repository.
fn path_for_clients(source: &Source, upload: Option<&Path>, file: &Path) -> Result<PathBuf, ProjectError> {
    let is_inside = |file: &PathBuf| file.starts_with(&source.project);
    let path = match upload {
        Some(root) => file.strip_prefix(root).ok().map(Path::to_owned),
        None if source.imported.iter().all(is_inside) => file.strip_prefix(&source.project).ok().map(Path::to_owned),
        None => source.in_repository(file),
    };
    path.ok_or_else(|| {
        ProjectError::Invalid(format!("The function has a file outside of the project's folder: {}", file.display()))
    })
}

/// Returns a function's files with their paths for clients. Files named `.env*` are left out, because they contain secrets.
fn files(
    source: &Source,
    path: impl Fn(&Path) -> Result<PathBuf, ProjectError>,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ProjectError> {
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
        files.push((path(&file)?, content));
    }
    Ok(files)
}
