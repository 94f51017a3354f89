//! The definition of a workspace: the patterns of its packages and its catalogs, in package.json, pnpm-workspace.yaml or deno.json.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::json_file::absolute;
use super::package::MANIFESTS;
use super::reader::Reader;

pub(super) const PNPM: &str = "pnpm-workspace.yaml";

/// Definitions from the workspace files (such as package.json and deno.json) in one folder.
#[derive(Debug, Default)]
pub(super) struct Definition {
    /// Files with patterns of packages; empty if the folder defines no workspace.
    pub(super) files: Vec<PathBuf>,
    pub(super) patterns: Vec<String>,
    /// Versions by catalog and package. The catalog without a name is `default`.
    pub(super) catalogs: BTreeMap<String, BTreeMap<String, String>>,
    /// Import map of a deno.json. It applies to all members of the workspace.
    pub(super) imports: Map<String, Value>,
    /// Files that cannot be read, or of which a part is invalid, with the reason.
    pub(super) problems: Vec<(PathBuf, String)>,
}

/// The parts of a pnpm-workspace.yaml that matter for imports. Their types are checked later, so that one wrong value does not make the
/// other values unusable.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Pnpm {
    packages: Value,
    catalog: Value,
    catalogs: Value,
}

impl Definition {
    /// Reads the files of a folder.
    pub(super) fn read(folder: &Path, reader: &mut Reader<'_>) -> Self {
        let mut definition = Self::default();
        for file in MANIFESTS.iter().map(|name| folder.join(name)).filter(|file| file.is_file()) {
            if let Err(problem) = definition.read_json(&file, reader) {
                definition.problems.push((file, problem));
            }
        }
        let file = folder.join(PNPM);
        if file.is_file()
            && let Err(problem) = definition.read_pnpm(&file, reader)
        {
            definition.problems.push((file, problem));
        }
        definition
    }

    fn read_json(&mut self, file: &Path, reader: &mut Reader<'_>) -> Result<(), String> {
        let value = reader.json(file)?;
        let is_npm = file.ends_with("package.json");
        let Some(found) = value.get(if is_npm { "workspaces" } else { "workspace" }) else { return Ok(()) };
        self.files.push(file.to_owned());
        // Yarn names the list `packages`, Deno names it `members`. Bun has the catalogs beside the list, or directly in package.json.
        let list = ["packages", "members"].iter().find_map(|key| found.get(key)).unwrap_or(found);
        self.add_patterns(file, list);
        for place in [found, &value].into_iter().filter(|_| is_npm) {
            self.add_catalogs(file, place.get("catalog"), place.get("catalogs"));
        }
        if !is_npm {
            self.imports.extend(absolute(value.get("imports"), file).map_err(|error| error.to_string())?);
        }
        Ok(())
    }

    fn read_pnpm(&mut self, file: &Path, reader: &mut Reader<'_>) -> Result<(), String> {
        let text = reader.text(file)?;
        self.files.push(file.to_owned());
        let pnpm: Option<Pnpm> = match text.trim() {
            "" => None,
            text => serde_saphyr::from_str(text).map_err(|error| error.to_string())?,
        };
        let pnpm = pnpm.unwrap_or_default();
        if !pnpm.packages.is_null() {
            self.add_patterns(file, &pnpm.packages);
        }
        self.add_catalogs(file, Some(&pnpm.catalog), Some(&pnpm.catalogs));
        Ok(())
    }

    fn add_patterns(&mut self, file: &Path, list: &Value) {
        let Some(list) = list.as_array() else {
            self.problems.push((file.to_owned(), "the packages of the workspace must be a list of texts".to_owned()));
            return;
        };
        let (texts, others): (Vec<&Value>, Vec<&Value>) = list.iter().partition(|pattern| pattern.is_string());
        self.patterns.extend(texts.into_iter().filter_map(Value::as_str).map(str::to_owned));
        if !others.is_empty() {
            let problem = "entries of the packages of the workspace that are no texts are skipped";
            self.problems.push((file.to_owned(), problem.to_owned()));
        }
    }

    fn add_catalogs(&mut self, file: &Path, default: Option<&Value>, named: Option<&Value>) {
        let named = named.filter(|named| !named.is_null());
        if named.is_some_and(|named| !named.is_object()) {
            self.problems.push((file.to_owned(), "catalogs must be an object and is skipped".to_owned()));
        }
        let named = named.and_then(Value::as_object).into_iter().flatten();
        let all = default
            .into_iter()
            .map(|catalog| ("default", catalog))
            .chain(named.map(|(name, catalog)| (name.as_str(), catalog)));
        for (catalog, versions) in all.filter(|(_, versions)| !versions.is_null()) {
            let Some(versions) = versions.as_object() else {
                let problem = format!("the catalog {catalog:?} must be an object and is skipped");
                self.problems.push((file.to_owned(), problem));
                continue;
            };
            for (name, version) in versions {
                match version.as_str() {
                    Some(version) => {
                        let versions = self.catalogs.entry(catalog.to_owned()).or_default();
                        versions.insert(name.clone(), version.to_owned());
                    }
                    None => {
                        let problem =
                            format!("the version of {name:?} in the catalog {catalog:?} is no text and is skipped");
                        self.problems.push((file.to_owned(), problem));
                    }
                }
            }
        }
    }
}
