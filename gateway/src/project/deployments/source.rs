//! Returns the source files of a function.

use std::path::{Path, PathBuf};

use cloch_functions::deno::{FUNCTIONS_FOLDER, MAX_UPLOAD_FILES, Source, Versions};
use sha2::{Digest, Sha256};

use crate::project::{Project, ProjectError};

/// File names of import maps that the functions' engine finds in the folder of an entrypoint.
const BESIDE_ENTRYPOINT: [&str; 4] = ["deno.json", "deno.jsonc", "import_map.json", "package.json"];
/// File names of import maps that the functions' engine finds in the functions folder, in the order of its search.
const IN_FUNCTIONS: [&str; 3] = ["deno.json", "deno.jsonc", "import_map.json"];

/// Source files of a function. The paths are those that clients receive from the Management API.
#[derive(Debug)]
pub(crate) struct SourceFiles {
    /// Path of the entrypoint.
    pub(crate) entrypoint: PathBuf,
    /// Path of the import map that a client must send as `import_map_path` when it uploads these files again. `None` if the function has no
    /// import map, or if the engine finds the import map beside the entrypoint.
    pub(crate) import_map: Option<PathBuf>,
    /// Paths and contents of all files, except for files named `.env*`.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
    /// Paths of the files named `.env*`, whose contents are secret.
    pub(crate) env_files: Vec<PathBuf>,
    /// Digest of the version's number and of `files`. It changes if the version or one of these files changes.
    pub(crate) revision: String,
}

impl Project {
    /// Returns the path of a function's entrypoint, and its files with their contents.
    pub(crate) async fn function_files(&self, slug: &str) -> Result<(PathBuf, Vec<(PathBuf, Vec<u8>)>), ProjectError> {
        let source = self.function_source(slug).await?;
        // The entrypoint is returned too: clients store the files at paths relative to it.
        Ok((source.entrypoint, source.files))
    }

    /// Returns the source files of the version of a function that is served.
    pub(crate) async fn function_source(&self, slug: &str) -> Result<SourceFiles, ProjectError> {
        self.function(slug)?;
        let source = self
            .engine()?
            .source(slug)
            .ok_or_else(|| ProjectError::Invalid("The function has no code here".to_owned()))?;
        let uploaded = self.engine()?.versions().uploaded(slug).is_some();
        let root = uploaded.then(|| source.project.join(FUNCTIONS_FOLDER).join(slug));
        let read = tokio::task::spawn_blocking(move || {
            let path = |file: &Path| path_for_clients(&source, root.as_deref(), file);
            let (files, env_files) = files(&source, path)?;
            let import_map = match &source.import_map {
                Some(file) => Some(path(file)?),
                None => shared_import_map(&source).map(|file| path(&file)).transpose()?,
            };
            let revision = revision(source.version, &files);
            Ok(SourceFiles { entrypoint: path(&source.entrypoint)?, import_map, files, env_files, revision })
        });
        read.await.map_err(|error| ProjectError::internal("reading the files of a function failed", error))?
    }
}

/// Returns the path of a function's file in responses to clients. For an uploaded version, this is the path in the upload, otherwise the
/// path relative to the project's folder. If the function imports files outside the project's folder, all its paths are relative to the
/// repository.
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

/// A function's files with their paths and contents, and the paths of its `.env` files.
type FilesAndEnv = (Vec<(PathBuf, Vec<u8>)>, Vec<PathBuf>);

/// Returns a function's files with the paths that clients receive. The contents of files named `.env*` are left out, because they contain
/// secrets.
fn files(source: &Source, path: impl Fn(&Path) -> Result<PathBuf, ProjectError>) -> Result<FilesAndEnv, ProjectError> {
    let unreadable = |error: String| ProjectError::internal("reading the files of a function failed", error);
    let listed = Versions::files_of(source).map_err(unreadable)?;
    let is_env = |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".env"));
    let (mut env_files, listed): (Vec<_>, Vec<_>) = listed.into_iter().partition(is_env);
    env_files.extend([source.functions().join(".env")].into_iter().filter(|file| file.is_file()));
    let env_files = env_files.iter().map(|file| path(file)).collect::<Result<_, _>>()?;
    // Too many files are an error. If some files were left out instead, a client that deploys the returned files would delete these files
    // from the function.
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
    Ok((files, env_files))
}

/// Returns the path of the import map that several functions share: the import map in the functions folder. A client must name it in an
/// upload, because the files of an upload are stored in another folder, where the engine would not find it. `None` if there is no such
/// import map, or if the engine finds an import map beside the entrypoint.
fn shared_import_map(source: &Source) -> Option<PathBuf> {
    if BESIDE_ENTRYPOINT.iter().any(|name| source.folder().join(name).is_file()) {
        return None;
    }
    IN_FUNCTIONS.iter().map(|name| source.functions().join(name)).find(|file| file.is_file())
}

/// Returns a digest of the served version's number and all files. It changes if the version or any file changes.
fn revision(version: Option<u64>, files: &[(PathBuf, Vec<u8>)]) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{version:?}\n"));
    for (path, content) in files {
        hash.update(format!("{}\n{}\n", path.display(), content.len()));
        hash.update(content);
    }
    hex::encode(hash.finalize())
}
