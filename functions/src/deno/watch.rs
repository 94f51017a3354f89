//! Watches files. A saved file is used from the next request on. A deployed version is used as soon as a worker of this version listens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::error::Elapsed;

use super::{Engine, FUNCTIONS_FOLDER};

/// Delay after a file change before the folders are read again. This is necessary because files that are written into a new folder before
/// the folder is watched cause no event.
const SETTLE_TIME: Duration = Duration::from_millis(300);

/// Detects and applies file changes until the future is dropped.
pub(super) async fn follow(engine: &Engine) {
    let (sender, mut changes) = mpsc::unbounded_channel();
    let hand_on = move |event: notify::Result<Event>| {
        if let Ok(event) = event
            && is_change(&event.kind)
        {
            event.paths.into_iter().for_each(|path| drop(sender.send(path)));
        }
    };
    let watcher = notify::recommended_watcher(hand_on).and_then(|mut watcher| {
        watch(&mut watcher, engine)?;
        Ok(watcher)
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => {
            tracing::warn!(
                %error,
                project = %engine.shared.options.project.display(),
                "functions: watching the functions folder failed, restart cloch to serve changed functions"
            );
            return;
        }
    };
    let functions = engine.shared.options.project.join(FUNCTIONS_FOLDER);
    let mut imported = BTreeSet::new();
    let mut is_settled = true;
    loop {
        let next = tokio::select! {
            change = next_change(&mut changes, is_settled) => change,
            () = engine.shared.imports_changed.notified() => {
                watch_imported(&mut watcher, engine, &mut imported);
                continue;
            }
        };
        is_settled = next.is_err();
        let Some(path) = next.unwrap_or_else(|_| Some(PathBuf::new())) else { return };
        let mut paths = vec![path];
        // Collect further events, because an editor or a deployment changes several files at once.
        while let Ok(path) = changes.try_recv() {
            paths.push(path);
        }
        if paths.contains(&functions)
            && functions.is_dir()
            && let Err(error) = watcher.watch(&functions, RecursiveMode::Recursive)
        {
            tracing::warn!(
                %error,
                folder = %functions.display(),
                "functions: watching the functions folder failed, restart cloch to serve changed functions"
            );
        }
        engine.changed(&paths).await;
    }
}

/// Watches the folder of versions and the functions folder, each with its subfolders. Also watches the project's folder without its
/// subfolders, because the functions folder may be created later.
fn watch(watcher: &mut impl Watcher, engine: &Engine) -> notify::Result<()> {
    let project = &engine.shared.options.project;
    let functions = project.join(FUNCTIONS_FOLDER);
    watcher.watch(engine.versions.folder(), RecursiveMode::Recursive)?;
    if project.is_dir() {
        watcher.watch(project, RecursiveMode::NonRecursive)?;
    }
    if functions.is_dir() {
        watcher.watch(&functions, RecursiveMode::Recursive)?;
    }
    Ok(())
}

/// Waits for a file change and returns the path of the file. `None` if the watcher has stopped. If `is_settled` is false, returns an error
/// after [`SETTLE_TIME`] without a change, so that the caller reads the folders again.
async fn next_change(
    changes: &mut mpsc::UnboundedReceiver<PathBuf>,
    is_settled: bool,
) -> Result<Option<PathBuf>, Elapsed> {
    match is_settled {
        true => Ok(changes.recv().await),
        false => tokio::time::timeout(SETTLE_TIME, changes.recv()).await,
    }
}

/// Watches the folders of imported files outside the functions folder. A folder stays watched, even if no function imports a file from it
/// now.
fn watch_imported(watcher: &mut impl Watcher, engine: &Engine, watched: &mut BTreeSet<PathBuf>) {
    let project = &engine.shared.options.project;
    let functions = project.join(FUNCTIONS_FOLDER);
    let sources = engine.all_pools().into_iter().map(|(_, pool)| pool.source());
    // The files of a deployed version do not change.
    let imported = sources.filter(|source| source.version.is_none()).flat_map(|source| source.imported);
    let folders = imported.filter_map(|file| file.parent().map(Path::to_owned));
    for folder in folders.filter(|folder| !folder.starts_with(&functions) && folder != project) {
        if watched.insert(folder.clone())
            && let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive)
        {
            tracing::warn!(
                %error,
                folder = %folder.display(),
                "functions: watching the folder of imported files failed, restart cloch to serve changed functions"
            );
        }
    }
}

/// Whether a file event changes content. Reading a file or changing metadata changes no content.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Access(_) => false,
    }
}
