//! Reads a function's import map: `import_map` of config.toml, else the first of `deno.json`, `deno.jsonc`, `import_map.json` and `package.json`
//! in the function's folder, else the first of `deno.json`, `deno.jsonc` and `import_map.json` in the functions folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use url::Url;

use super::ImportsError;
use super::json_file::{absolute, absolute_target, entries, problem, read_json};
use super::workspace::{Dependency, NpmImports, Workspace, dependencies_of};

/// File names of import maps that are searched in the function's folder.
const BESIDE: [&str; 4] = ["deno.json", "deno.jsonc", "import_map.json", "package.json"];
/// File names of import maps that are searched in the functions folder.
const IN_FUNCTIONS: [&str; 3] = ["deno.json", "deno.jsonc", "import_map.json"];

/// Unstable features of Deno that a `deno.json` may enable, because they only change how modules are found and read.
const MODULE_FEATURES: [&str; 4] = ["sloppy-imports", "bare-node-builtins", "detect-cjs", "raw-imports"];
/// Feature of Deno with which the JavaScript files of a package can be CommonJS modules.
const COMMON_JS: &str = "detect-cjs";

/// Configuration of a function's imports and JSX.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportConfig {
    /// Imports by specifier. A relative target is converted to a URL, relative to the file that contains the target.
    pub(crate) imports: Map<String, Value>,
    pub(crate) scopes: Map<String, Value>,
    pub(crate) compiler_options: Option<Value>,
    /// Unstable features of Deno that the function's modules use.
    pub(crate) features: Vec<&'static str>,
    pub(crate) files: Vec<PathBuf>,
    /// Reasons why dependencies have no import, by the dependency's name.
    problems: BTreeMap<String, String>,
    /// Packages of the workspace that the function's own configuration replaces.
    replaced: BTreeSet<String>,
    /// Packages of the workspace by the names that the function's package.json gives them.
    aliases: BTreeMap<String, String>,
    /// The same for the package.json files of packages, by the name of the package.
    aliases_of_packages: BTreeMap<String, BTreeMap<String, String>>,
}

impl ImportConfig {
    /// Reads the import configuration for an entrypoint in `folder`. `named` is the import map that config.toml names. `allow` returns an error
    /// for files that do not belong to the function. An import that the configuration does not name can be a package of the workspace.
    pub(super) fn read(
        named: Option<&Path>,
        (folder, functions): (&Path, &Path),
        workspace: &Workspace,
        allow: impl Fn(&Path) -> Result<(), ImportsError>,
    ) -> Result<Self, ImportsError> {
        let beside = BESIDE.iter().map(|name| folder.join(name));
        let candidates = beside.chain(IN_FUNCTIONS.iter().map(|name| functions.join(name)));
        let found = match named {
            Some(file) => Some(file.to_owned()),
            None => candidates.into_iter().find(|file| file.is_file()),
        };
        let mut config = found.map_or_else(|| Ok(Self::default()), |file| Self::of_file(&file, workspace, &allow))?;
        // Deno searches for a module's package.json only below the folder of its configuration file. This file is generated and is in
        // another folder, so the package.json is read here.
        let package = folder.join("package.json");
        if package.is_file() {
            allow(&package)?;
            let is_common_js = read_json(&package)?.get("type").is_some_and(|kind| kind == "commonjs");
            if is_common_js && !config.features.contains(&COMMON_JS) {
                config.features.push(COMMON_JS);
            }
        }
        config.add_workspace(workspace);
        Ok(config)
    }

    fn of_file(
        file: &Path,
        workspace: &Workspace,
        allow: &impl Fn(&Path) -> Result<(), ImportsError>,
    ) -> Result<Self, ImportsError> {
        allow(file)?;
        let mut config = Self { files: vec![file.to_owned()], ..Self::default() };
        let mut value = read_json(file)?;
        if file.file_name().is_some_and(|name| name == "package.json") {
            let dependencies = dependencies_of(&value).map_err(|reason| problem(file, &reason))?;
            (config.imports, config.aliases) = config.npm_imports(&dependencies, workspace, false);
            return Ok(config);
        }
        config.compiler_options = value.get("compilerOptions").map(runtime_options);
        config.features = module_features(&value, file)?;
        if let Some(other) = value.get("importMap") {
            let other = other.as_str().ok_or_else(|| problem(file, "importMap must be a text"))?;
            let other = file.with_file_name("").join(other);
            allow(&other)?;
            value = read_json(&other)?;
            config.files.push(other);
        }
        let base = config.files.last().cloned().unwrap_or_default();
        config.imports = absolute(value.get("imports"), &base)?;
        for (scope, imports) in entries(value.get("scopes"), &base)? {
            config.scopes.insert(absolute_target(scope, &base), Value::Object(absolute(Some(imports), &base)?));
        }
        Ok(config)
    }

    /// Adds the packages of the workspace. Each of them has a scope with its own dependencies. The import map of the function applies to all modules,
    /// as on Supabase, so that a function and a package share one copy of a dependency. A package.json applies only to its own folder, as in Node.
    fn add_workspace(&mut self, workspace: &Workspace) {
        let is_map = self.files.last().is_some_and(|file| !file.ends_with("package.json"));
        let own = if is_map { self.imports.clone() } else { Map::new() };
        let is_mapped = |specifier: &String| {
            own.contains_key(specifier)
                || own.keys().any(|key| key.ends_with('/') && specifier.starts_with(key.as_str()))
        };
        // If the function itself names a package, all modules of this package come from the function's import.
        let named = self.imports.clone();
        let is_named = |name: &str| named.contains_key(name) || named.contains_key(&format!("{name}/"));
        for (specifier, target) in &workspace.imports {
            self.imports.entry(specifier).or_insert_with(|| target.clone());
        }
        for package in workspace.packages() {
            if is_named(&package.name) {
                self.replaced.insert(package.name.clone());
            } else {
                for (specifier, target) in &package.modules {
                    self.imports.entry(specifier).or_insert_with(|| target.clone());
                }
            }
            let mut imports = workspace.imports.clone();
            let (dependencies, aliases) = self.npm_imports(&package.dependencies, workspace, true);
            imports.extend(dependencies);
            self.aliases_of_packages.insert(package.name.clone(), aliases);
            imports.extend(package.imports.clone());
            imports.retain(|specifier, _| !is_mapped(specifier));
            if let (false, Ok(scope)) = (imports.is_empty(), Url::from_directory_path(&package.folder)) {
                self.scopes.entry(scope).or_insert(Value::Object(imports));
            }
        }
    }

    /// Adds imports for specifiers that only a pattern of a package with a single file as target resolves, because an import map has no
    /// patterns. Returns whether an import was added.
    pub(super) fn add_single_files(&mut self, unresolved: &BTreeSet<String>, workspace: &Workspace) -> bool {
        let before = self.size();
        for package in workspace.packages() {
            let is_exported = !self.replaced.contains(&package.name);
            let of_package = self.aliases_of_packages.get(&package.name);
            let mut own_imports = Map::new();
            for specifier in unresolved {
                if let Some(url) = package.single_file(specifier).filter(|_| is_exported) {
                    self.imports.entry(specifier).or_insert_with(|| url.into());
                }
                let own = package.own_single_file(specifier);
                let named = || of_package.and_then(|aliases| single_file_of_alias(aliases, specifier, workspace));
                if let Some(url) = own.or_else(named) {
                    own_imports.insert(specifier.clone(), url.into());
                }
            }
            self.add_to_scope(&package.folder, own_imports);
        }
        for specifier in unresolved {
            if let Some(url) = single_file_of_alias(&self.aliases, specifier, workspace) {
                self.imports.entry(specifier).or_insert_with(|| url.into());
            }
        }
        self.size() > before
    }

    /// Adds imports to the scope of a folder. Imports that the scope has already stay as they are.
    fn add_to_scope(&mut self, folder: &Path, imports: Map<String, Value>) {
        let Some(scope) = Url::from_directory_path(folder).ok().filter(|_| !imports.is_empty()) else { return };
        if let Some(scope) = self.scopes.entry(scope).or_insert_with(|| Value::Object(Map::new())).as_object_mut() {
            for (specifier, url) in imports {
                scope.entry(specifier).or_insert(url);
            }
        }
    }

    /// Returns the number of imports.
    fn size(&self) -> usize {
        self.imports.len() + self.scopes.values().filter_map(Value::as_object).map(Map::len).sum::<usize>()
    }

    /// Replaces targets in the scopes, as `replacement` says.
    pub(super) fn replace_in_scopes(&mut self, replacement: impl Fn(&str) -> Option<String>) {
        for target in self.scopes.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
            if let Some(other) = target.as_str().and_then(&replacement) {
                *target = other.into();
            }
        }
    }

    /// Returns the imports of dependencies, and the packages of the workspace that they give another name.
    fn npm_imports(
        &mut self,
        dependencies: &[Dependency],
        workspace: &Workspace,
        links: bool,
    ) -> (Map<String, Value>, BTreeMap<String, String>) {
        let NpmImports { imports, problems, aliases } = NpmImports::of(dependencies, workspace, links);
        for (name, problem) in problems {
            self.problems.entry(name).or_insert(problem);
        }
        (imports, aliases)
    }

    /// Explains why an import cannot be resolved. Returns `None` if the import is neither a dependency nor a package of the workspace.
    pub(super) fn explain(&self, specifier: &str, workspace: &Workspace) -> Option<String> {
        let is_of =
            |name: &str| specifier.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let problem = self.problems.iter().find(|(name, _)| is_of(name)).map(|(_, problem)| problem.clone());
        problem.or_else(|| workspace.explain(specifier))
    }
}

/// Returns the URL of the file to which a pattern of a package maps a specifier that begins with another name of the package.
fn single_file_of_alias<'a>(
    aliases: &BTreeMap<String, String>,
    specifier: &str,
    workspace: &'a Workspace,
) -> Option<&'a str> {
    aliases.iter().find_map(|(alias, name)| {
        let below = specifier.strip_prefix(alias.as_str()).filter(|below| below.starts_with('/'))?;
        workspace.package(name)?.single_file(&format!("{name}{below}"))
    })
}

/// Returns the entries of `unstable` that are in [`MODULE_FEATURES`], and logs a warning about the others.
fn module_features(config: &Value, file: &Path) -> Result<Vec<&'static str>, ImportsError> {
    let Some(named) = config.get("unstable") else { return Ok(Vec::new()) };
    let named: Option<Vec<&str>> = named.as_array().and_then(|named| named.iter().map(Value::as_str).collect());
    let named = named.ok_or_else(|| problem(file, "unstable must be a list of texts"))?;
    let others: Vec<&str> = named.iter().filter(|name| !MODULE_FEATURES.contains(name)).copied().collect();
    if !others.is_empty() {
        let file = file.display();
        tracing::warn!(%file, ?others, "functions: entries of `unstable` in deno.json ignored, the function runs without them (docs/functions/reference.md)");
    }
    Ok(MODULE_FEATURES.into_iter().filter(|feature| named.contains(feature)).collect())
}

/// Returns the TypeScript compiler options that change the emitted code.
fn runtime_options(options: &Value) -> Value {
    let kept = [
        "jsx",
        "jsxImportSource",
        "jsxFactory",
        "jsxFragmentFactory",
        "experimentalDecorators",
        "emitDecoratorMetadata",
    ];
    let kept = kept.iter().filter_map(|name| Some(((*name).to_owned(), options.get(name)?.clone())));
    json!(kept.collect::<Map<_, _>>())
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
