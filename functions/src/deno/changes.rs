//! Applies file changes: updates the list of functions, and switches each function between the code in the project's folder and deployed
//! versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::run::pool::Pool;
use super::run::worker::Unload;
use super::{Engine, EngineFunction, Serve, Source};
use crate::settings::Declared;

/// Interval between two checks for function versions that other nodes have deployed.
const SHARED_VERSIONS_INTERVAL: Duration = Duration::from_secs(1);

impl Engine {
    pub(super) fn in_folder(&self, name: &str) -> Option<EngineFunction> {
        self.folders.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns the declaration (config.toml and cloch.toml) of a function in the project's folder; `None` if the folder does not contain the
    /// function.
    pub(crate) fn declared(&self, name: &str) -> Option<Arc<Declared>> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        folders.get(name).map(|function| Arc::clone(&function.declared))
    }

    /// Returns the deployed version of a function; `None` if no version is deployed or only the project's folder is served.
    fn deployed(&self, name: &str) -> Option<Source> {
        if self.serve == Serve::Folder {
            return None;
        }
        match self.in_folder(name) {
            Some(function) => self.versions.current(name, &function.source),
            None => self.versions.deployed(name),
        }
    }

    /// Adds functions that have a new folder or a first deployed version, and removes functions that have neither a folder nor a version.
    pub(super) fn find_functions(&self) {
        if let Some(found) = (self.find.0)() {
            *self.folders.write().unwrap_or_else(PoisonError::into_inner) = found;
        }
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner).clone();
        let deployed = match self.serve {
            Serve::Deployed => self.versions.deployed_names(),
            Serve::Folder => Vec::new(),
        };
        for name in folders.keys().chain(&deployed).filter(|name| !self.has(name)) {
            let function = folders.get(name);
            let limits = function.map_or(&*self.usual_limits, |function| &function.limits);
            if let Some(source) = self.deployed(name).or_else(|| function.map(|function| function.source.clone())) {
                self.add_pool(name, source, limits);
            }
        }
        let removed: Vec<(String, Arc<Pool>)> = {
            let mut pools = self.pools.write().unwrap_or_else(PoisonError::into_inner);
            pools.extract_if(.., |name, _| !folders.contains_key(name) && !deployed.contains(name)).collect()
        };
        for (name, pool) in removed {
            tracing::info!(function = %name, "functions: function removed, its requests get status 404");
            pool.close(Unload::EarlyDrop);
        }
        let uploads = match self.serve {
            Serve::Deployed => self.versions.uploads(),
            Serve::Folder => Default::default(),
        };
        *self.uploads.write().unwrap_or_else(PoisonError::into_inner) =
            uploads.into_iter().map(|(name, upload)| (name, upload.verify_jwt)).collect();
    }

    /// Reloads the functions affected by changed files.
    pub(super) async fn changed(&self, paths: &[PathBuf]) {
        let _one_at_a_time = self.changing.lock().await;
        let before = self.names();
        self.find_functions();
        for (name, pool) in &self.all_pools() {
            if !before.contains(name) {
                tracing::info!(function = %name, "functions: function added, its requests are served");
                if !self.follow_version(name, pool, true).await {
                    self.prepare_later(pool);
                }
            } else if !self.follow_version(name, pool, self.concern_versions(name, paths)).await
                && let Some(function) = self.in_folder(name)
            {
                follow_folder(name, pool, &function.source, paths);
            }
        }
    }

    /// Whether one of the changed files `paths` belongs to a deployed version of the function.
    fn concern_versions(&self, name: &str, paths: &[PathBuf]) -> bool {
        let versions = self.versions.folder().join(name);
        paths.iter().any(|path| path.starts_with(&versions))
    }

    /// Serves function versions that other nodes have deployed, until the future is dropped.
    pub(super) async fn follow_deployments(&self) {
        if !self.deployments.are_shared() || self.serve == Serve::Folder {
            return;
        }
        let mut reported = BTreeMap::new();
        let mut is_reachable = true;
        loop {
            tokio::time::sleep(SHARED_VERSIONS_INTERVAL).await;
            let followed = match self.deployments.follow().await {
                Ok(followed) => followed,
                Err(error) => {
                    if std::mem::replace(&mut is_reachable, false) {
                        tracing::warn!(%error, "functions: reading function versions of other nodes failed, this node serves the versions it has and retries every second");
                    }
                    continue;
                }
            };
            is_reachable = true;
            for (name, problem) in
                followed.failed.iter().filter(|(name, problem)| reported.get(*name) != Some(*problem))
            {
                tracing::error!(
                    function = %name,
                    error = %problem,
                    "functions: fetching a function version deployed by another node failed, this node does not serve that version and retries every second"
                );
            }
            reported = followed.failed;
            for name in &followed.changed {
                self.refresh(name).await;
            }
        }
    }

    /// Resolves a function's imports in the background, before the function's first request.
    fn prepare_later(&self, pool: &Arc<Pool>) {
        let pool = Arc::clone(pool);
        self.shared.supervisor.spawn(async move {
            if let Err(error) = pool.prepare(&pool.source()).await {
                tracing::error!(function = %pool.name, %error, "functions: function cannot run, its requests fail");
            }
        });
    }

    /// Switches a function to its deployed version, if any. Returns whether the function has a deployed version. A version that is served
    /// already is normally not booted again. The exception: `is_asked` is set and no boot result of this version is recorded. The deploy
    /// command waits for this result, so the version is booted again.
    pub(super) async fn follow_version(&self, name: &str, pool: &Arc<Pool>, is_asked: bool) -> bool {
        let Some(deployed) = self.deployed(name) else { return false };
        let (version, served) = (deployed.version, pool.source().version);
        let is_tried = version.is_none_or(|number| self.versions.booted(name, number).is_some());
        if version == served && (is_tried || !is_asked) {
            return true;
        }
        let boots = pool.switch(deployed).await;
        if let Some(number) = version {
            self.versions.note_boot(name, number, boots);
        }
        if boots {
            tracing::info!(function = %name, version, "functions: function version is now served");
        } else if version == served {
            tracing::error!(function = %name, version, "functions: function version failed to boot (see its log lines) and there is no earlier version, its requests fail");
        } else {
            tracing::error!(function = %name, version, "functions: function version failed to boot (see its log lines), serving the previous version");
            self.keep_version(name, served).await;
        }
        true
    }

    /// Records the number of the served version, so that the same version is served after the next start. Does nothing if several nodes
    /// share versions, because one node alone must not change the version that all nodes serve.
    async fn keep_version(&self, name: &str, served: Option<u64>) {
        let Some(served) = served.filter(|_| !self.deployments.are_shared()) else { return };
        if let Err(error) = self.deployments.serve(name, served).await {
            tracing::error!(
                function = %name,
                version = served,
                %error,
                "functions: saving which version of a function is served failed, after a restart the previously saved version is served"
            );
        }
    }
}

/// Serves the function's code in the project's folder. Reloads the code if a deployed version or another entrypoint is served at present,
/// or if one of the changed files `paths` concerns the function.
fn follow_folder(name: &str, pool: &Arc<Pool>, folder: &Source, paths: &[PathBuf]) {
    let served = pool.source();
    if served.version.is_some() || served.entrypoint != folder.entrypoint {
        pool.reload(Some(folder.clone()));
    } else if paths.iter().any(|path| concerns(&served, path)) {
        tracing::info!(function = %name, "functions: function code changed, the next request uses the new code");
        pool.reload(None);
    }
}

/// Whether a changed file concerns a function: a file in the function's folder, an imported file, or a shared file (directly in the
/// functions folder, or in a subfolder whose name begins with `_`).
fn concerns(source: &Source, path: &Path) -> bool {
    let functions = source.functions();
    if path.starts_with(source.folder()) || source.imported.iter().any(|file| file == path) {
        return true;
    }
    let Ok(below) = path.strip_prefix(&functions) else { return false };
    let first =
        below.components().next().map(|first| first.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    first.starts_with('_') || functions.join(&first).is_file()
}
