//! The dependencies of a package.json as imports: `"zod": "^3"` becomes the import `zod` of `npm:zod@^3`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Workspace;
use super::package::{Dependency, is_package_name};

/// Prefixes of versions that refer to a folder, an archive or a repository.
const PLACES: [&str; 9] = ["file:", "link:", "portal:", "patch:", "git:", "git+", "github:", "http:", "https:"];

/// Imports for dependencies.
#[derive(Debug, Default)]
pub(in super::super) struct NpmImports {
    pub(in super::super) imports: Map<String, Value>,
    /// Reasons why dependencies have no import, by the dependency's name. A missing import is an error only for a function that uses it.
    pub(in super::super) problems: BTreeMap<String, String>,
    /// Packages of the workspace that a dependency gives another name, by that name.
    pub(in super::super) aliases: BTreeMap<String, String>,
}

/// The place from which the code of a dependency comes.
enum Meaning {
    Npm(String),
    /// The package of the workspace with this name.
    Workspace(String),
}

impl NpmImports {
    /// Returns the imports for dependencies. Packages of the workspace are left out, unless the dependency gives them another name.
    /// `links`: whether a plain version range refers to the package of the workspace, as it does between packages of the workspace. In the
    /// package.json of a function, it refers to the package on npm.
    pub(in super::super) fn of(dependencies: &[Dependency], workspace: &Workspace, links: bool) -> Self {
        let mut found = Self::default();
        for (name, version) in dependencies {
            let meaning = version.clone().and_then(|version| meaning(name, &version, (workspace, links), true));
            match meaning {
                Ok(Meaning::Npm(target)) => {
                    found
                        .imports
                        .insert(format!("{name}/"), format!("{}/", target.replacen("npm:", "npm:/", 1)).into());
                    found.imports.insert(name.clone(), target.into());
                }
                Ok(Meaning::Workspace(package)) => found.add_alias(name, &package, workspace),
                Err(problem) => drop(found.problems.insert(name.clone(), problem)),
            }
        }
        found
    }

    /// Adds the modules of a package of the workspace under another name. Patterns with a single file as target are resolved later, when the
    /// module graph is known.
    fn add_alias(&mut self, name: &str, package: &str, workspace: &Workspace) {
        let Some(found) = workspace.package(package).filter(|_| name != package) else { return };
        self.aliases.insert(name.to_owned(), package.to_owned());
        for (specifier, target) in &found.modules {
            if let Some(below) = specifier.strip_prefix(package) {
                self.imports.insert(format!("{name}{below}"), target.clone());
            }
        }
    }
}

/// Determines from where the code of a dependency comes. `may_use_catalog` is false for a version that comes from a catalog.
fn meaning(
    name: &str,
    version: &str,
    (workspace, links): (&Workspace, bool),
    may_use_catalog: bool,
) -> Result<Meaning, String> {
    if let Some(range) = version.strip_prefix("workspace:") {
        // `workspace:other@*` imports the package `other` under the dependency's name.
        let other = range.rsplit_once('@').map(|(other, _)| other).filter(|other| is_package_name(other));
        let package = other.unwrap_or(name);
        return match workspace.package(package) {
            Some(_) => Ok(Meaning::Workspace(package.to_owned())),
            None => Err(workspace.explain(package).unwrap_or_else(|| {
                format!("{name:?} is {version:?}, but no workspace with a package {package} is around the function")
            })),
        };
    }
    if let Some(catalog) = version.strip_prefix("catalog:").filter(|_| may_use_catalog) {
        return meaning(name, workspace.in_catalog(name, catalog)?, (workspace, links), false);
    }
    if version.starts_with("npm:") {
        return Ok(Meaning::Npm(version.to_owned()));
    }
    if links && workspace.package(name).is_some() {
        return Ok(Meaning::Workspace(name.to_owned()));
    }
    if PLACES.iter().any(|place| version.starts_with(place)) || version.starts_with("catalog:") {
        return Err(format!(
            "{name:?} is {version:?}, and only packages of npm and of a workspace can be imported by name"
        ));
    }
    Ok(Meaning::Npm(if version.is_empty() { format!("npm:{name}") } else { format!("npm:{name}@{version}") }))
}
