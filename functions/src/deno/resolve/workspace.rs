//! Finds the packages of the workspace that contains a function. A function can import them by name, and they can import each other.
//!
//! The workspace is the nearest folder around the function, inside the repository, with `workspaces` in package.json (npm, Yarn, Bun), with a
//! `pnpm-workspace.yaml` (pnpm), or with `workspace` in deno.json (Deno).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cloch_core::glob::{DoubleStar, Pattern};
use serde::Deserialize;

use super::ImportsError;
use super::json_file::{problem, read_json};
use super::package::{MANIFESTS, Package};

const PNPM: &str = "pnpm-workspace.yaml";
/// Maximum size of a pnpm-workspace.yaml in bytes.
const MAX_PNPM_BYTES: u64 = 1 << 20;
/// Number of folder levels that `**` stands for in a pattern of packages.
const LEVELS: usize = 3;
const MAX_PACKAGES: usize = 1_000;

/// The packages of a workspace. Empty if the function is in no workspace.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    packages: BTreeMap<String, Package>,
    pnpm: Pnpm,
    /// Files that define the workspace.
    definitions: Vec<PathBuf>,
}

/// The parts of a pnpm-workspace.yaml that matter for imports.
#[derive(Debug, Default, Deserialize)]
struct Pnpm {
    #[serde(default)]
    packages: Vec<String>,
    /// Versions by package name for `catalog:`.
    #[serde(default)]
    catalog: BTreeMap<String, String>,
    /// The same for `catalog:NAME`.
    #[serde(default)]
    catalogs: BTreeMap<String, BTreeMap<String, String>>,
}

impl Workspace {
    /// Finds the workspace around a function's folder. `allow` returns an error for files outside the function's repository. A package that
    /// cannot be read is logged and skipped, because most functions do not import it.
    pub(super) fn find(
        folder: &Path,
        repository: &Path,
        allow: &impl Fn(&Path) -> Result<(), ImportsError>,
    ) -> Result<Self, ImportsError> {
        let repository = repository.canonicalize().unwrap_or_else(|_| repository.to_owned());
        let is_inside = |folder: &&Path| folder.canonicalize().is_ok_and(|folder| folder.starts_with(&repository));
        for folder in folder.ancestors().take_while(is_inside) {
            let mut workspace = Self::default();
            let patterns = workspace.patterns(folder, allow)?;
            if !workspace.definitions.is_empty() {
                workspace.add_packages(folder, &patterns, allow)?;
                return Ok(workspace);
            }
        }
        Ok(Self::default())
    }

    /// Reads the patterns of the packages' folders from a folder's files, and stores the files that have some.
    fn patterns(
        &mut self,
        folder: &Path,
        allow: &impl Fn(&Path) -> Result<(), ImportsError>,
    ) -> Result<Vec<String>, ImportsError> {
        let mut patterns = Vec::new();
        for file in MANIFESTS.iter().map(|name| folder.join(name)).filter(|file| file.is_file()) {
            allow(&file)?;
            let value = read_json(&file)?;
            let key = if file.ends_with("package.json") { "workspaces" } else { "workspace" };
            let Some(found) = value.get(key) else { continue };
            // Yarn has the list in `packages`, Deno in `members`.
            let list = ["packages", "members"].iter().find_map(|key| found.get(key)).unwrap_or(found);
            let list: Option<Vec<String>> = serde_json::from_value(list.clone()).ok();
            patterns.extend(list.ok_or_else(|| problem(&file, &format!("{key} must be a list of texts")))?);
            self.definitions.push(file);
        }
        let file = folder.join(PNPM);
        if file.is_file() {
            allow(&file)?;
            self.pnpm = read_pnpm(&file).map_err(|text| problem(&file, &text))?;
            patterns.append(&mut self.pnpm.packages);
            self.definitions.push(file);
        }
        Ok(patterns)
    }

    fn add_packages(
        &mut self,
        root: &Path,
        patterns: &[String],
        allow: &impl Fn(&Path) -> Result<(), ImportsError>,
    ) -> Result<(), ImportsError> {
        let definition = self.definitions.first().cloned().unwrap_or_default();
        let mut folders = BTreeSet::new();
        // A package that a pattern with `!` excludes is available too: a function that does not name it does not import it.
        for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
            folders.extend(folders_of(root, pattern).map_err(|text| problem(&definition, &text))?);
        }
        if folders.len() > MAX_PACKAGES {
            return Err(problem(&definition, &format!("more than {MAX_PACKAGES} packages in the workspace")));
        }
        for folder in folders {
            match Package::read(&folder, allow) {
                Ok(package) => self.packages.extend(package.map(|package| (package.name.clone(), package))),
                Err(error) => tracing::warn!(
                    %error,
                    folder = %folder.display(),
                    "functions: package of the workspace skipped, functions cannot import it by name"
                ),
            }
        }
        Ok(())
    }

    pub(super) fn packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.values()
    }

    /// Returns the npm specifier of a dependency in a package.json; `None` if a package of the workspace has this name.
    pub(super) fn specifier(&self, name: &str, version: &str) -> Result<Option<String>, String> {
        if self.packages.contains_key(name) {
            return Ok(None);
        }
        let version = match version.split_once(':') {
            Some(("catalog", catalog)) => self.in_catalog(name, catalog)?,
            Some(("workspace", _)) => return Err(format!("the workspace has no package {name:?}")),
            _ => version,
        };
        Ok(Some(if version.starts_with("npm:") { version.to_owned() } else { format!("npm:{name}@{version}") }))
    }

    fn in_catalog(&self, name: &str, catalog: &str) -> Result<&str, String> {
        let versions = match catalog {
            "" | "default" => self.pnpm.catalogs.get("default").unwrap_or(&self.pnpm.catalog),
            _ => self.pnpm.catalogs.get(catalog).ok_or_else(|| format!("{PNPM} has no catalog {catalog:?}"))?,
        };
        versions
            .get(name)
            .map(String::as_str)
            .ok_or_else(|| format!("the catalog of {PNPM} has no version of {name:?}"))
    }

    /// Returns the files that decide how the given files import packages of the workspace: none if no file is in such a package.
    pub(super) fn files_behind(&self, files: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let is_used = |package: &&Package| files.iter().any(|file| file.starts_with(&package.folder));
        let manifests: Vec<PathBuf> =
            self.packages().filter(is_used).flat_map(|package| package.manifests.iter().cloned()).collect();
        let definitions = self.definitions.iter().filter(|_| !manifests.is_empty()).cloned();
        definitions.chain(manifests.clone()).collect()
    }
}

/// Returns the folders with a package that match a pattern.
fn folders_of(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let levels = if pattern.contains("**") { LEVELS } else { 1 };
    let mut folders = Vec::new();
    for level in 1..=levels {
        let folder = pattern.trim_end_matches('/').replace("**", &vec!["*"; level].join("/"));
        for manifest in MANIFESTS {
            let parsed = Pattern::parse(&format!("{folder}/{manifest}"), DoubleStar::OneFolder);
            let found = parsed.map_err(|error| error.to_string())?.files(root).map_err(|error| error.to_string())?;
            folders.extend(found.iter().filter_map(|file| file.parent()).map(Path::to_owned));
        }
    }
    let is_installed = |folder: &PathBuf| folder.components().any(|part| part.as_os_str() == "node_modules");
    folders.retain(|folder| !is_installed(folder));
    Ok(folders)
}

fn read_pnpm(file: &Path) -> Result<Pnpm, String> {
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    if size > MAX_PNPM_BYTES {
        return Err(format!("larger than {MAX_PNPM_BYTES} bytes"));
    }
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Ok(Pnpm::default());
    }
    serde_saphyr::from_str(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files into a folder and returns the workspace around `supabase/functions/a` in it.
    fn workspace(root: &Path, files: &[(&str, &str)]) -> Result<Workspace, String> {
        for (name, text) in files.iter().chain([&("supabase/functions/a/index.ts", "")]) {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        Workspace::find(&root.join("supabase/functions/a"), root, &|_| Ok(())).map_err(|error| error.to_string())
    }

    fn names(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        workspace(folder.path(), files).unwrap().packages().map(|package| package.name.clone()).collect()
    }

    const ONE: (&str, &str) = ("packages/one/package.json", r#"{"name": "one"}"#);
    const DEEP: (&str, &str) = ("packages/deep/two/package.json", r#"{"name": "two"}"#);
    const INSTALLED: (&str, &str) = ("packages/node_modules/zod/package.json", r#"{"name": "zod"}"#);

    #[test]
    fn each_tool_has_its_own_list_of_packages() {
        assert_eq!(names(&[ONE, ("package.json", r#"{"workspaces": ["packages/*"]}"#)]), ["one"]);
        assert_eq!(names(&[ONE, ("package.json", r#"{"workspaces": {"packages": ["./packages/one/"]}}"#)]), ["one"]);
        assert_eq!(names(&[ONE, ("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n")]), ["one"]);
        assert_eq!(names(&[ONE, ("deno.jsonc", r#"{"workspace": ["./packages/one"] /* all */}"#)]), ["one"]);
        assert_eq!(names(&[ONE, ("deno.json", r#"{"workspace": {"members": ["packages/*"]}}"#)]), ["one"]);
        assert_eq!(names(&[ONE]), [""; 0], "no workspace");
    }

    #[test]
    fn two_stars_are_several_levels_without_installed_packages() {
        let files = [ONE, DEEP, INSTALLED, ("package.json", r#"{"workspaces": ["packages/**", "!packages/x"]}"#)];
        assert_eq!(names(&files), ["one", "two"]);
    }

    #[test]
    fn the_nearest_workspace_counts_and_a_broken_package_is_skipped() {
        let files = [
            ONE,
            ("package.json", r#"{"workspaces": ["packages/*"]}"#),
            ("supabase/package.json", r#"{"workspaces": ["functions/*", "lib"]}"#),
            ("supabase/lib/package.json", r#"{"name": "lib"}"#),
            ("supabase/functions/b/package.json", "{"),
        ];
        assert_eq!(names(&files), ["lib"]);
    }

    #[test]
    fn versions_come_from_the_workspace_or_from_a_catalog() {
        let folder = tempfile::tempdir().unwrap();
        let yaml = "packages: [packages/*]\ncatalog: {zod: ^3.1}\ncatalogs: {old: {zod: npm:zod3@3}}\n";
        let workspace = workspace(folder.path(), &[ONE, ("pnpm-workspace.yaml", yaml)]).unwrap();
        let specifier = |name, version| workspace.specifier(name, version);
        assert_eq!(specifier("one", "workspace:*"), Ok(None));
        assert_eq!(specifier("one", "^1"), Ok(None));
        assert_eq!(specifier("zod", "catalog:"), Ok(Some("npm:zod@^3.1".into())));
        assert_eq!(specifier("zod", "catalog:old"), Ok(Some("npm:zod3@3".into())));
        assert_eq!(specifier("b", "1"), Ok(Some("npm:b@1".into())));
        assert!(specifier("two", "workspace:^").unwrap_err().contains("no package \"two\""));
        assert!(specifier("zod", "catalog:new").unwrap_err().contains("no catalog \"new\""));
        assert!(specifier("b", "catalog:").unwrap_err().contains("no version of \"b\""));
    }

    #[test]
    fn a_definition_that_cannot_be_read_is_named() {
        let problem = |file, text| {
            let folder = tempfile::tempdir().unwrap();
            workspace(folder.path(), &[(file, text)]).unwrap_err()
        };
        assert!(problem("package.json", r#"{"workspaces": 1}"#).contains("workspaces must be a list of texts"));
        assert!(problem("deno.json", r#"{"workspace": [1]}"#).contains("workspace must be a list of texts"));
        assert!(problem("pnpm-workspace.yaml", "packages: {").contains("pnpm-workspace.yaml: "));
        // Ten levels of ten aliases would be 10,000,000,000 texts.
        let levels =
            (1..10).map(|level| format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(",")));
        let bomb = format!("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n{}packages: *a9\n", levels.collect::<String>());
        assert!(problem("pnpm-workspace.yaml", &bomb).contains("pnpm-workspace.yaml: "));
    }

    #[test]
    fn the_files_behind_an_import_are_those_of_its_package() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let files = [ONE, DEEP, ("package.json", r#"{"workspaces": ["packages/**"]}"#)];
        let workspace = workspace(root, &files).unwrap();
        let behind = |file: &str| workspace.files_behind(&BTreeSet::from([root.join(file)]));
        assert_eq!(
            behind("packages/one/index.ts"),
            [root.join("package.json"), root.join("packages/one/package.json")]
        );
        assert!(behind("supabase/functions/a/index.ts").is_empty());
    }
}
