//! Changes of files: a saved file is served by the next request, a deployed version once a worker of it listens.

use std::path::{Path, PathBuf};

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::{Engine, Serve, Source};

/// Follows changes until it is dropped.
pub(super) async fn follow(engine: &Engine) {
    let (sender, mut changes) = mpsc::unbounded_channel();
    let hand_on = move |event: notify::Result<Event>| {
        if let Ok(event) = event
            && is_change(&event.kind)
        {
            event.paths.into_iter().for_each(|path| drop(sender.send(path)));
        }
    };
    let _watcher = match notify::recommended_watcher(hand_on).and_then(|watcher| watch(watcher, engine)) {
        Ok(watcher) => watcher,
        Err(error) => {
            tracing::warn!(%error, "changes of functions are not seen: restart cloch to serve them");
            return;
        }
    };
    while let Some(path) = changes.recv().await {
        let mut paths = vec![path];
        // An editor that saves, or a deploy, changes several files.
        while let Ok(path) = changes.try_recv() {
            paths.push(path);
        }
        engine.changed(&paths).await;
    }
}

fn watch(mut watcher: impl Watcher, engine: &Engine) -> notify::Result<impl Watcher> {
    let projects = engine.folders.values().map(|source| source.functions());
    let mut folders: Vec<PathBuf> = projects.filter(|folder| folder.is_dir()).collect();
    folders.dedup();
    folders.push(engine.versions.folder().to_owned());
    folders.iter().try_for_each(|folder| watcher.watch(folder, RecursiveMode::Recursive))?;
    Ok(watcher)
}

/// Reading a file is none.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Access(_) => false,
    }
}

impl Engine {
    async fn changed(&self, paths: &[PathBuf]) {
        let _one_at_a_time = self.changing.lock().await;
        self.adopt_uploads();
        for (name, pool) in &self.all_pools() {
            let served = pool.source();
            let Some(folder) = self.folders.get(name) else {
                self.follow_upload(name, pool).await;
                continue;
            };
            if let (Serve::Deployed, Some(deployed)) = (self.serve, self.versions.current(name, folder)) {
                if deployed.version != served.version {
                    self.deploy(name, deployed).await;
                }
            } else if served.version.is_some() {
                pool.reload(Some(folder.clone()));
            } else if paths.iter().any(|path| concerns(folder, path)) {
                tracing::info!(function = %name, "the code has changed");
                pool.reload(None);
            }
        }
    }

    async fn deploy(&self, name: &str, source: Source) {
        let version = source.version;
        match self.pool(name) {
            Some(pool) if pool.switch(source).await => {
                tracing::info!(function = %name, version, "this version is served")
            }
            _ => tracing::error!(function = %name, version, "this version does not boot: the one before is served"),
        }
    }
}

/// Whether a file is one of a function's: its own, or one of no other.
fn concerns(source: &Source, path: &Path) -> bool {
    let functions = source.functions();
    if path.starts_with(source.folder()) {
        return true;
    }
    let Ok(below) = path.strip_prefix(&functions) else { return false };
    let first =
        below.components().next().map(|first| first.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    // Another function's folder: modules of it may still be imported, and are seen at the next start.
    first.starts_with('_') || functions.join(&first).is_file() || below.components().count() == 1
}
