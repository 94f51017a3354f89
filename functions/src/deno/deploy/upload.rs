//! Deployed versions whose code was uploaded through the Management API.
//!
//! An uploaded version contains `upload.json` and the folder `functions/<name>/`. In this folder, the files have the paths of the upload,
//! so that relative imports work.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::versions::{MAX_VERSION_BYTES, Number, VersionError, Versions, at, write_synced};
use crate::source::{FUNCTIONS_FOLDER, Source, is_function_name};

/// Name of the metadata file of an uploaded version.
pub(in crate::deno) const UPLOAD_FILE: &str = "upload.json";
/// Maximum number of files in one upload.
pub const MAX_UPLOAD_FILES: usize = 2_000;
const MAX_PATH_BYTES: usize = 512;
/// Maximum length of a file name in bytes, the limit of common file systems.
const MAX_NAME_BYTES: usize = 255;

/// Metadata of an uploaded function version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Upload {
    /// Display name of the function.
    pub name: String,
    /// Whether calls of the function require an access token.
    pub verify_jwt: bool,
    /// Path of the function's entrypoint among the uploaded files.
    pub entrypoint_path: String,
    /// Path of the import map among the uploaded files; `None` if the function has no import map.
    pub import_map_path: Option<String>,
    /// Patterns of static files that the function may read.
    #[serde(default)]
    pub static_patterns: Vec<String>,
    /// Creation time of the function's first version, in milliseconds since 1970.
    pub created_at: i64,
    /// Creation time of this version, in milliseconds since 1970. The Management API calls this time `updated_at`.
    pub updated_at: i64,
}

/// A file of uploaded function code.
#[derive(Clone, Debug)]
pub struct UploadedFile {
    path: PathBuf,
    content: Bytes,
}

impl UploadedFile {
    /// Creates an uploaded file. `path` is the path in the upload.
    ///
    /// # Errors
    /// If the path leads outside the function's folder, is too long or is invalid.
    pub fn new(path: &str, content: Bytes) -> Result<Self, VersionError> {
        Ok(Self { path: inner_path(path)?, content })
    }
}

/// Validates the relative path of an uploaded file and removes `./`. Refuses `..`, absolute paths, backslashes and NUL characters.
fn inner_path(path: &str) -> Result<PathBuf, VersionError> {
    let refused = || VersionError::Outside(PathBuf::from(path));
    if path.len() > MAX_PATH_BYTES || path.contains(['\\', '\0']) {
        return Err(refused());
    }
    let mut inner = PathBuf::new();
    for component in Path::new(path.strip_prefix("file://").unwrap_or(path)).components() {
        match component {
            Component::Normal(part) if part.len() > MAX_NAME_BYTES => return Err(VersionError::LongName(part.len())),
            Component::Normal(part) => inner.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(refused()),
        }
    }
    if inner.as_os_str().is_empty() { Err(refused()) } else { Ok(inner) }
}

impl Versions {
    /// Writes uploaded code as a new version. The version is served after a call of [`Self::switch`].
    ///
    /// # Errors
    /// If a path leads outside the function's folder or occurs twice, the entrypoint is missing, the version is too large, or a write fails.
    pub(in crate::deno) fn add_upload(
        &self,
        slug: &str,
        upload: &Upload,
        files: &[UploadedFile],
        number: Number,
    ) -> Result<u64, VersionError> {
        if !is_function_name(slug) {
            return Err(VersionError::Outside(PathBuf::from(slug)));
        }
        let entrypoint = inner_path(&upload.entrypoint_path)?;
        let import_map = upload.import_map_path.as_deref().map(inner_path).transpose()?;
        for named in [Some(&entrypoint), import_map.as_ref()].into_iter().flatten() {
            if !files.iter().any(|file| file.path == *named) {
                return Err(VersionError::Missing(named.clone()));
            }
        }
        for pattern in &upload.static_patterns {
            inner_path(pattern)?;
        }
        let mut paths: Vec<&PathBuf> = files.iter().map(|file| &file.path).collect();
        paths.sort();
        // Finds a path that occurs twice, or that is both a file and a folder. In sorted order, the files of a folder follow directly after
        // a file with the folder's name.
        let below = |pair: &[&PathBuf]| matches!(pair, [one, next] if next.starts_with(one));
        if let Some(twice) = paths.windows(2).find(|pair| below(pair)).and_then(|pair| pair.last()) {
            return Err(VersionError::Twice((*twice).clone()));
        }
        if files.iter().map(|file| file.content.len() as u64).sum::<u64>() > MAX_VERSION_BYTES {
            return Err(VersionError::TooLarge);
        }
        let copy = self.begin(slug)?;
        let root = copy.path().join(FUNCTIONS_FOLDER).join(slug);
        for file in files {
            let target = root.join(&file.path);
            let parent = target.parent().unwrap_or(&root);
            fs::create_dir_all(parent).map_err(at(parent))?;
            write_synced(&target, &file.content).map_err(at(&target))?;
        }
        let note = copy.path().join(UPLOAD_FILE);
        write_synced(&note, upload.encode().as_bytes()).map_err(at(&note))?;
        self.finish(slug, copy, number)
    }

    /// Returns the metadata of a function's served version; `None` if the version was not uploaded.
    #[must_use]
    pub fn uploaded(&self, slug: &str) -> Option<Upload> {
        self.uploaded_as(slug, self.current_number(slug)?)
    }

    /// Returns the metadata of a function version; `None` if the version was not uploaded.
    #[must_use]
    pub fn uploaded_as(&self, slug: &str, number: u64) -> Option<Upload> {
        let bytes = fs::read(self.of(slug, number).join(UPLOAD_FILE)).ok()?;
        let read = serde_json::from_slice(&bytes);
        read.inspect_err(
            |error| tracing::error!(function = slug, version = number, %error, "functions: metadata of a deployed function version is damaged, deploy the function again"),
        )
        .ok()
    }

    /// Changes the metadata of an uploaded version.
    ///
    /// # Errors
    /// If the version does not exist, or the write fails.
    pub(in crate::deno) fn describe(&self, slug: &str, number: u64, upload: &Upload) -> Result<(), VersionError> {
        let folder = self.of(slug, number);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            file.write_all(upload.encode().as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(folder.join(UPLOAD_FILE)).map(drop).map_err(io::Error::from)
        };
        write().map_err(at(&folder))
    }

    /// Returns the metadata of the served versions that were uploaded, by function name.
    #[must_use]
    pub fn uploads(&self) -> BTreeMap<String, Upload> {
        let names = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let names =
            names.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_function_name(name));
        names.filter_map(|name| Some((name.clone(), self.uploaded(&name)?))).collect()
    }

    /// Returns the code of a function version; `None` if the version was not uploaded.
    #[must_use]
    pub fn uploaded_source_as(&self, slug: &str, number: u64) -> Option<Source> {
        let upload = self.uploaded_as(slug, number)?;
        let project = self.of(slug, number);
        let root = project.join(FUNCTIONS_FOLDER).join(slug);
        Some(Source {
            entrypoint: root.join(inner_path(&upload.entrypoint_path).ok()?),
            import_map: upload.import_map_path.and_then(|path| Some(root.join(inner_path(&path).ok()?))),
            // Static files need no list: all files are in the function's folder, which the function may read.
            static_files: Vec::new(),
            env: BTreeMap::new(),
            version: Some(number),
            repository: project.clone(),
            closed: None,
            imported: Vec::new(),
            project,
        })
    }

    /// Removes a function version unless the version is served.
    pub fn discard(&self, slug: &str, number: u64) {
        if self.current_number(slug) != Some(number)
            && let Err(error) = fs::remove_dir_all(self.of(slug, number))
        {
            tracing::warn!(function = slug, version = number, %error, "functions: removing an unused function version failed, its files remain");
        }
    }
}

impl Upload {
    /// Returns the current time in milliseconds since 1970.
    #[must_use]
    pub fn now() -> i64 {
        Utc::now().timestamp_millis()
    }

    pub(in crate::deno) fn encode(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upload(entrypoint: &str) -> Upload {
        Upload {
            name: "a".to_owned(),
            verify_jwt: true,
            entrypoint_path: entrypoint.to_owned(),
            import_map_path: None,
            static_patterns: Vec::new(),
            created_at: 1,
            updated_at: 2,
        }
    }

    #[test]
    fn paths_that_lead_outside_are_refused() {
        for path in ["../a.ts", "a/../../b.ts", "/etc/cron.d/a", "", ".", "a\\..\\b", "a\0b", "file:///etc/passwd/../x"]
        {
            assert!(UploadedFile::new(path, Bytes::new()).is_err(), "{path:?}");
        }
        assert!(UploadedFile::new(&"a/".repeat(300), Bytes::new()).is_err());
        assert!(UploadedFile::new(&"a".repeat(255), Bytes::new()).is_ok());
        assert!(
            UploadedFile::new(&format!("b/{}", "a".repeat(256)), Bytes::new()).unwrap_err().to_string().contains("255")
        );
        assert_eq!(inner_path("./supabase/functions/a/index.ts").unwrap(), Path::new("supabase/functions/a/index.ts"));
        let data = tempfile::tempdir().unwrap();
        let versions = Versions::new(data.path());
        let file = UploadedFile::new("index.ts", Bytes::from_static(b"1")).unwrap();
        for (slug, entrypoint) in [("../a", "index.ts"), ("a/b", "index.ts"), ("a", "../index.ts"), ("a", "other.ts")] {
            assert!(
                versions.add_upload(slug, &upload(entrypoint), std::slice::from_ref(&file), Number::Next).is_err(),
                "{slug} {entrypoint}"
            );
        }
        let named = |path: &str| UploadedFile::new(path, Bytes::from_static(b"1")).unwrap();
        for twice in ["index.ts", "index.ts/x.ts"] {
            let files = [file.clone(), named("a.ts"), named(twice)];
            let error = versions.add_upload("a", &upload("index.ts"), &files, Number::Next).unwrap_err();
            assert!(matches!(error, VersionError::Twice(_)), "{twice}: {error}");
        }
        assert_eq!(versions.uploads().len(), 0);
        assert!(versions.numbers("a").is_empty());
    }

    #[test]
    fn an_upload_is_served_once_it_is_switched_to() {
        let data = tempfile::tempdir().unwrap();
        let versions = Versions::new(data.path());
        let files = [
            UploadedFile::new("supabase/functions/a/index.ts", Bytes::from_static(b"1")).unwrap(),
            UploadedFile::new("supabase/functions/_shared/x.ts", Bytes::from_static(b"2")).unwrap(),
        ];
        let number = versions.add_upload("a", &upload("supabase/functions/a/index.ts"), &files, Number::Next).unwrap();
        assert!(versions.deployed("a").is_none(), "not served yet");
        versions.switch("a", number).unwrap();
        let source = versions.deployed("a").unwrap();
        assert_eq!(fs::read(&source.entrypoint).unwrap(), b"1");
        assert_eq!(fs::read(source.folder().join("../_shared/x.ts")).unwrap(), b"2");
        let changed = Upload { verify_jwt: false, ..versions.uploaded("a").unwrap() };
        versions.describe("a", number, &changed).unwrap();
        assert!(!versions.uploads().values().next().unwrap().verify_jwt);
        versions.discard("a", number);
        assert_eq!(versions.numbers("a"), [number], "what is served is not discarded");
        versions.remove("a").unwrap();
        assert!(versions.uploads().is_empty());
    }
}
