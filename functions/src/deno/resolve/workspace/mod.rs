//! Finds the packages of the workspace that contains a function. A function can import them by name, and they can import each other.
//!
//! The workspace is the nearest folder around the function, inside the repository, with `workspaces` in package.json (npm, Yarn, Bun), with
//! a `pnpm-workspace.yaml` (pnpm), or with `workspace` in deno.json (Deno). Most functions import no package of a workspace, so an invalid
//! workspace file is not an error. The problem is logged. If a function imports a package that needs the file, the error of this import
//! contains the problem.

mod definition;
mod exports;
#[cfg(test)]
mod exports_tests;
mod npm;
mod package;
mod reader;
mod search;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::ImportsError;
use definition::{Definition, PNPM};
pub(super) use npm::NpmImports;
use package::is_package_name;
pub(super) use package::{Dependency, Package, dependencies_of};
use reader::Reader;

/// Maximum number of warnings that are stored, so that each warning is logged only once.
const MAX_WARNINGS: usize = 1_000;

/// The packages of a workspace. Empty if the function is in no workspace.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    packages: BTreeMap<String, Package>,
    catalogs: BTreeMap<String, BTreeMap<String, String>>,
    /// Import map of the workspace's deno.json.
    pub(super) imports: Map<String, Value>,
    /// Files that define the workspace.
    definitions: Vec<PathBuf>,
    patterns: Vec<String>,
    /// Parts of the workspace that were skipped: the file or folder, and the reason.
    problems: Vec<(PathBuf, String)>,
}

impl Workspace {
    /// Finds the workspace around a function's folder. `allow` returns an error for files that functions must not read. Reads many files, so it
    /// must run on a blocking thread.
    pub(super) fn find(folder: &Path, repository: &Path, allow: &dyn Fn(&Path) -> Result<(), ImportsError>) -> Self {
        let repository = repository.canonicalize().unwrap_or_else(|_| repository.to_owned());
        let is_inside = |folder: &&Path| folder.canonicalize().is_ok_and(|folder| folder.starts_with(&repository));
        let mut reader = Reader::new(allow);
        let mut workspace = Self::default();
        for folder in folder.ancestors().take_while(is_inside) {
            let definition = Definition::read(folder, &mut reader);
            workspace.problems.extend(definition.problems);
            if !definition.files.is_empty() {
                workspace.definitions = definition.files;
                workspace.patterns = definition.patterns;
                workspace.catalogs = definition.catalogs;
                workspace.imports = definition.imports;
                workspace.add_packages(folder, &mut reader);
                break;
            }
        }
        if let Some(limit) = reader.exceeded {
            workspace.packages.clear();
            let place = workspace.place();
            workspace.problems.insert(0, (place, format!("the workspace is not used, because {limit}")));
        }
        workspace.warn();
        workspace
    }

    fn add_packages(&mut self, root: &Path, reader: &mut Reader<'_>) {
        let place = self.place();
        let (folders, problems) = search::folders(root, &self.patterns, reader);
        self.problems.extend(problems.into_iter().map(|problem| (place.clone(), problem)));
        for folder in folders {
            let package = match Package::read(&folder, reader) {
                Ok(Some(package)) => package,
                Ok(None) => continue,
                Err(problem) => {
                    self.problems.push((folder, problem));
                    if reader.exceeded.is_some() { return } else { continue }
                }
            };
            match self.packages.get(&package.name) {
                Some(first) => {
                    let problem = format!(
                        "the name {:?} belongs to the package in {} already",
                        package.name,
                        first.folder.display()
                    );
                    self.problems.push((folder, problem));
                }
                None => drop(self.packages.insert(package.name.clone(), package)),
            }
        }
    }

    /// Logs each problem once, even if several functions find it.
    fn warn(&self) {
        static LOGGED: Mutex<BTreeSet<(PathBuf, String)>> = Mutex::new(BTreeSet::new());
        let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, problem) in &self.problems {
            if logged.len() < MAX_WARNINGS && logged.insert((path.clone(), problem.clone())) {
                tracing::warn!(
                    path = %path.display(),
                    reason = problem,
                    "functions: part of a workspace skipped, functions cannot import it by name"
                );
            }
        }
    }

    pub(super) fn packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.values()
    }

    pub(super) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.get(name)
    }

    /// Returns the version of a package in a catalog.
    pub(super) fn in_catalog(&self, name: &str, catalog: &str) -> Result<&str, String> {
        let catalog = if catalog.is_empty() { "default" } else { catalog };
        let place = self.definitions.last().map_or_else(|| PNPM.into(), |file| file.display().to_string());
        let versions = self
            .catalogs
            .get(catalog)
            .ok_or_else(|| format!("{place} has no catalog {catalog:?}{}", self.skipped()))?;
        let version = versions.get(name).map(String::as_str);
        version
            .ok_or_else(|| format!("the catalog {catalog:?} of {place} has no version of {name:?}{}", self.skipped()))
    }

    /// Explains why an import cannot be resolved. Returns `None` if the reason is not in the workspace.
    pub(super) fn explain(&self, specifier: &str) -> Option<String> {
        let name = package_name(specifier).filter(|name| is_package_name(name))?;
        if let Some(package) = self.packages.get(name) {
            let problems = package.problems.iter().map(|problem| format!(". Skipped: {problem}")).collect::<String>();
            let folder = package.folder.display();
            return Some(format!("the package {name} in {folder} exports {}{problems}", package.exported_names()));
        }
        if self.definitions.is_empty() && self.problems.is_empty() {
            return None;
        }
        let skipped = self.skipped();
        match self.definitions.is_empty() {
            true => Some(format!("no workspace around the function has a package {name}{skipped}")),
            false => Some(format!("the workspace has no package {name}. {}{skipped}", self.searched())),
        }
    }

    /// Names the first parts of the workspace that were skipped, with the reasons.
    fn skipped(&self) -> String {
        let skipped = self.problems.iter().map(|(path, problem)| format!(". Skipped: {}: {problem}", path.display()));
        skipped.take(5).collect()
    }

    /// Names the places in which packages were looked for.
    pub(super) fn searched(&self) -> String {
        let files: Vec<String> = self.definitions.iter().map(|file| file.display().to_string()).collect();
        format!("Searched: {} of {}", self.patterns.join(", "), files.join(", "))
    }

    /// Returns the workspace files that determine how the given files import packages. The result is empty if no given file is in a package
    /// of the workspace.
    pub(super) fn files_behind(&self, files: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let is_used = |package: &&Package| files.iter().any(|file| file.starts_with(&package.folder));
        let manifests: Vec<PathBuf> =
            self.packages().filter(is_used).flat_map(|package| package.manifests.iter().cloned()).collect();
        let definitions = self.definitions.iter().filter(|_| !manifests.is_empty()).cloned();
        definitions.chain(manifests.clone()).collect()
    }

    fn place(&self) -> PathBuf {
        self.definitions.first().cloned().unwrap_or_default()
    }
}

/// Returns the name of the package in a bare specifier such as `@scope/name/sub`. `None` for relative specifiers and URLs.
fn package_name(specifier: &str) -> Option<&str> {
    let is_bare = !specifier.starts_with(['.', '/', '#']) && !specifier.contains(':');
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier.match_indices('/').nth(parts - 1).map_or(specifier.len(), |(index, _)| index);
    is_bare.then(|| specifier.get(..end)).flatten()
}
