//! The project's own functions: served versions, uploads ([`upload`]), version changes ([`change`]), source files ([`source`]), edits
//! of single files ([`edit`]), and new functions ([`create`]).

mod change;
mod create;
mod edit;
mod source;
mod upload;

use std::path::Path;
use std::time::UNIX_EPOCH;

use cloch_core::disk_full;
use cloch_functions::FunctionsState;
use cloch_functions::deno::{Engine, Upload, VersionError, is_function_name};
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Project, ProjectError};

pub(crate) use change::WantedVersion;
pub(crate) use create::TEMPLATE;
pub(crate) use edit::Changes;
pub(crate) use upload::Metadata;

/// Description of a function's version in the JSON form of Supabase's hosted Management API.
#[derive(Debug, Serialize)]
pub(crate) struct Deployment {
    id: Uuid,
    slug: String,
    name: String,
    status: &'static str,
    pub(crate) version: u64,
    /// Time at which the function's first version was uploaded, in milliseconds since 1970. For a function in the project's folder, the
    /// modification time of its entrypoint.
    created_at: i64,
    /// Time at which this version was uploaded or its description was changed, in milliseconds since 1970. For a function in the project's
    /// folder, the modification time of its entrypoint.
    pub(crate) updated_at: i64,
    pub(crate) verify_jwt: bool,
    /// Whether the version has an import map.
    import_map: bool,
    /// URL of the entrypoint. As in the hosted API, its path begins with the name of a temporary folder, because Supabase's MCP server
    /// removes this folder from the path.
    pub(crate) entrypoint_path: String,
    /// URL of the import map. Left out if there is none, because the CLI rejects a null value.
    #[serde(skip_serializing_if = "Option::is_none")]
    import_map_path: Option<String>,
}

impl Project {
    fn functions_state(&self) -> Result<&FunctionsState, ProjectError> {
        let off = || ProjectError::NotFound("Functions are switched off in config.toml".to_owned());
        self.functions.as_ref().ok_or_else(off)
    }

    /// Returns the engine that runs the project's own functions. Fails if the project has no functions of its own.
    pub(crate) fn engine(&self) -> Result<&Engine, ProjectError> {
        let off = || ProjectError::NotFound("This project runs no functions of its own".to_owned());
        self.functions_state()?.engine().ok_or_else(off)
    }

    /// Returns the description of a function.
    pub(crate) fn function(&self, slug: &str) -> Result<Deployment, ProjectError> {
        let engine = self.engine()?;
        let unknown = || ProjectError::NotFound("Function not found".to_owned());
        if !is_function_name(slug) {
            return Err(unknown());
        }
        if let (Some(upload), Some(number)) = (engine.versions().uploaded(slug), engine.versions().current_number(slug))
        {
            return Ok(self.described(slug, number, upload));
        }
        let source = engine.source(slug).ok_or_else(unknown)?;
        let changed = std::fs::metadata(&source.entrypoint).and_then(|file| file.modified()).ok();
        let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let changed = i64::try_from(changed.as_millis()).unwrap_or_default();
        let relative = |file: &Path| file.strip_prefix(&source.project).unwrap_or(file).to_string_lossy().into_owned();
        let declared = self.functions_state()?.services();
        let upload = Upload {
            name: slug.to_owned(),
            verify_jwt: declared.settings.functions.get(slug).is_none_or(|declared| declared.verify_jwt),
            entrypoint_path: relative(&source.entrypoint),
            import_map_path: source.import_map.as_deref().map(relative),
            static_patterns: source.static_files.clone(),
            created_at: changed,
            updated_at: changed,
        };
        Ok(self.described(slug, source.version.unwrap_or(1), upload))
    }

    fn described(&self, slug: &str, version: u64, upload: Upload) -> Deployment {
        let id = function_id(&self.reference, slug);
        let path = |path: &str| {
            format!("file:///tmp/user_fn_{}_{id}_{version}/source/{}", self.reference, path.trim_start_matches("./"))
        };
        Deployment {
            id,
            slug: slug.to_owned(),
            status: "ACTIVE",
            version,
            created_at: upload.created_at,
            updated_at: upload.updated_at,
            verify_jwt: upload.verify_jwt,
            import_map: upload.import_map_path.is_some(),
            entrypoint_path: path(&upload.entrypoint_path),
            import_map_path: upload.import_map_path.as_deref().map(path),
            name: upload.name,
        }
    }

    /// Returns the descriptions of all functions, sorted by name. The list is empty if the project defines no functions.
    pub(crate) fn function_list(&self) -> Vec<Deployment> {
        let Ok(engine) = self.engine() else { return Vec::new() };
        engine.names().iter().filter_map(|name| self.function(name).ok()).collect()
    }
}

/// Returns the id of a function. The id is derived from the function's name, so it is the same for all versions and on every node.
fn function_id(reference: &str, slug: &str) -> Uuid {
    let digest = Sha256::digest(format!("{reference}/{slug}"));
    let bytes: [u8; 16] = std::array::from_fn(|index| digest.get(index).copied().unwrap_or_default());
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

fn refused(error: VersionError) -> ProjectError {
    match error {
        VersionError::Io { source, .. } if disk_full::is_cause(&source) => {
            disk_full::report("project API");
            ProjectError::DiskFull
        }
        VersionError::Io { .. } => ProjectError::internal("storing a version of a function failed", error),
        VersionError::Database(error) => error.into(),
        VersionError::TooLarge => ProjectError::TooLarge(error.to_string()),
        other => ProjectError::Invalid(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    #[test]
    fn a_full_disk_is_named_to_the_client() {
        let refused_for = |kind| refused(VersionError::Io { path: "index.ts".into(), source: Error::from(kind) });
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            assert!(matches!(refused_for(kind), ProjectError::DiskFull), "{kind}");
        }
        assert!(matches!(refused_for(ErrorKind::PermissionDenied), ProjectError::Internal));
    }
}
