//! Reads a package of a workspace: its name, the modules that it exports, and its own imports.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use url::Url;

use super::ImportsError;
use super::json_file::{absolute, problem, read_json};

/// Files that describe a package. A name and exports in the first of these files count.
pub(super) const MANIFESTS: [&str; 3] = ["deno.json", "deno.jsonc", "package.json"];
/// Conditions in `exports` under which Deno uses a target.
const CONDITIONS: [&str; 4] = ["deno", "node", "import", "default"];
/// Endings that are added to the path of a main module until a file exists.
const ENDINGS: [&str; 7] = ["", ".ts", ".tsx", ".js", ".mjs", "/index.ts", "/index.js"];
/// Maximum number of modules that one pattern in `exports` stands for.
const MAX_MATCHES: usize = 5_000;

/// A package in a folder of the repository.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) manifests: Vec<PathBuf>,
    /// URLs of the exported modules by specifier. A specifier that ends with `/` stands for a folder.
    pub(super) modules: Map<String, Value>,
    /// Names and versions of the packages that package.json names.
    pub(super) dependencies: Vec<(String, String)>,
    /// Import map of deno.json.
    pub(super) imports: Map<String, Value>,
}

impl Package {
    /// Reads the package in a folder. Returns `None` if the folder has no package with a name. `allow` returns an error for files that do not
    /// belong to the function's repository.
    pub(super) fn read(
        folder: &Path,
        allow: &impl Fn(&Path) -> Result<(), ImportsError>,
    ) -> Result<Option<Self>, ImportsError> {
        let manifests: Vec<PathBuf> =
            MANIFESTS.iter().map(|name| folder.join(name)).filter(|file| file.is_file()).collect();
        let (mut named, mut dependencies, mut imports) = (None, Vec::new(), Map::new());
        for file in &manifests {
            allow(file)?;
            let value = read_json(file)?;
            if named.is_none()
                && let Some(name) = value.get("name").and_then(Value::as_str)
            {
                named = Some((name.to_owned(), modules(name, folder, &value).map_err(|text| problem(file, &text))?));
            }
            dependencies.extend(dependencies_of(&value));
            imports.extend(absolute(value.get("imports").filter(|_| !file.ends_with("package.json")), file)?);
        }
        let folder = folder.to_owned();
        Ok(named.map(|(name, modules)| Self { name, folder, manifests, modules, dependencies, imports }))
    }
}

/// Returns the names and versions in `devDependencies` and `dependencies` of a package.json, the latter last.
pub(super) fn dependencies_of(package: &Value) -> Vec<(String, String)> {
    let sections = ["devDependencies", "dependencies"].iter().filter_map(|name| package.get(name)?.as_object());
    let versions = sections.flatten().filter_map(|(name, version)| Some((name.clone(), version.as_str()?.to_owned())));
    versions.collect()
}

/// Returns the exported modules of a package by specifier.
fn modules(name: &str, folder: &Path, manifest: &Value) -> Result<Map<String, Value>, String> {
    let mut found = Map::new();
    let Some(exports) = manifest.get("exports") else {
        let main = ["module", "main"].iter().find_map(|key| manifest.get(key)?.as_str()).unwrap_or("index");
        if let Some(file) =
            ENDINGS.iter().map(|ending| folder.join(format!("{main}{ending}"))).find(|file| file.is_file())
        {
            found.insert(name.to_owned(), url(&file)?.into());
        }
        found.insert(format!("{name}/"), format!("{}/", url(folder)?).into());
        return Ok(found);
    };
    let subpaths = exports.as_object().filter(|exports| exports.keys().any(|key| key.starts_with('.')));
    let Some(subpaths) = subpaths else {
        return add(&mut found, name, folder, exports).map(|()| found);
    };
    for (subpath, target) in subpaths {
        let below =
            subpath.strip_prefix('.').ok_or_else(|| format!("exports: {subpath:?} does not start with a dot"))?;
        add(&mut found, &format!("{name}{below}"), folder, target)?;
    }
    Ok(found)
}

/// Adds the module of one entry of `exports`, or the modules that match its pattern. An entry without a target for Deno exports nothing.
fn add(found: &mut Map<String, Value>, specifier: &str, folder: &Path, target: &Value) -> Result<(), String> {
    let Some(target) = chosen(target) else { return Ok(()) };
    let target = target.strip_prefix("./").ok_or_else(|| format!("exports: {target:?} does not start with ./"))?;
    let (Some((before, after)), Some((start, end))) = (specifier.split_once('*'), target.split_once('*')) else {
        found.insert(specifier.to_owned(), url(&folder.join(target))?.into());
        return Ok(());
    };
    for matched in matches(folder, start, end)? {
        let specifier = format!("{before}{matched}{after}");
        // An exact entry, or a pattern that came first, counts.
        found.entry(specifier).or_insert(url(&folder.join(format!("{start}{matched}{end}")))?.into());
    }
    Ok(())
}

/// Returns the target for Deno: the first whose condition applies.
fn chosen(target: &Value) -> Option<&str> {
    match target {
        Value::String(target) => Some(target),
        Value::Array(targets) => targets.iter().find_map(chosen),
        Value::Object(conditions) => {
            let applying = conditions.iter().filter(|(name, _)| CONDITIONS.contains(&name.as_str()));
            applying.map(|(_, target)| target).find_map(chosen)
        }
        _ => None,
    }
}

/// Returns the texts for which `start`, the text and `end` together are the path of a file in the folder.
fn matches(folder: &Path, start: &str, end: &str) -> Result<Vec<String>, String> {
    let visible = |entry: &walkdir::DirEntry| entry.file_name() != "node_modules" && entry.file_name() != ".git";
    let parent = folder.join(start.rsplit_once('/').map_or("", |(parent, _)| parent));
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(parent).sort_by_file_name().into_iter().filter_entry(visible).flatten() {
        let path = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        let matched = path.and_then(|path| path.strip_prefix(start)?.strip_suffix(end)).filter(|text| !text.is_empty());
        found.extend(matched.filter(|_| entry.file_type().is_file()).map(str::to_owned));
        if found.len() > MAX_MATCHES {
            return Err(format!("exports: more than {MAX_MATCHES} files match \"./{start}*{end}\""));
        }
    }
    Ok(found)
}

fn url(path: &Path) -> Result<String, String> {
    Url::from_file_path(path).map(String::from).map_err(|()| format!("{} is not an absolute path", path.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(files: &[(&str, Value)]) -> Result<Option<(Package, String)>, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content.to_string()).unwrap();
        }
        let base = url(folder.path()).unwrap();
        Package::read(folder.path(), &|_| Ok(()))
            .map(|read| read.map(|package| (package, base)))
            .map_err(|error| error.to_string())
    }

    /// Returns the specifiers and paths of the modules of a package.
    fn modules_of(files: &[(&str, Value)]) -> Vec<(String, String)> {
        let (package, base) = package(files).unwrap().unwrap();
        let path = |target: &Value| target.as_str().unwrap().replacen(&base, "", 1);
        package.modules.iter().map(|(specifier, target)| (specifier.clone(), path(target))).collect()
    }

    fn pairs<const N: usize>(expected: [(&str, &str); N]) -> Vec<(String, String)> {
        expected.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
    }

    #[test]
    fn without_exports_all_files_and_the_main_module_are_exported() {
        let manifest = json!({"name": "@a/b", "main": "src/main"});
        let found = modules_of(&[("package.json", manifest), ("src/main.ts", json!(1))]);
        assert_eq!(found, pairs([("@a/b", "/src/main.ts"), ("@a/b/", "/")]));
        let found = modules_of(&[("package.json", json!({"name": "b"})), ("index.js", json!(1))]);
        assert_eq!(found, pairs([("b", "/index.js"), ("b/", "/")]));
        assert_eq!(modules_of(&[("package.json", json!({"name": "b"}))]), pairs([("b/", "/")]));
    }

    #[test]
    fn the_first_condition_of_exports_that_applies_counts() {
        let exports = json!({"types": "./a.d.ts", "browser": "./browser.js", "import": {"require": "./a.cjs", "default": "./a.mjs"}, "deno": "./late.ts"});
        assert_eq!(modules_of(&[("package.json", json!({"name": "b", "exports": exports}))]), pairs([("b", "/a.mjs")]));
        let exports =
            json!({".": ["./a.ts"], "./private": null, "./types": {"types": "./t.d.ts"}, "./c": "./src/c.ts"});
        let found = modules_of(&[("package.json", json!({"name": "b", "exports": exports}))]);
        assert_eq!(found, pairs([("b", "/a.ts"), ("b/c", "/src/c.ts")]));
    }

    #[test]
    fn a_pattern_of_exports_stands_for_each_file_that_matches() {
        let exports = json!({"./x": "./other/x.ts", "./*": "./src/*.ts"});
        let files = [
            ("package.json", json!({"name": "b", "exports": exports})),
            ("src/x.ts", json!(1)),
            ("src/deep/y.ts", json!(1)),
            ("src/z.js", json!(1)),
            ("src/node_modules/n.ts", json!(1)),
        ];
        assert_eq!(modules_of(&files), pairs([("b/x", "/other/x.ts"), ("b/deep/y", "/src/deep/y.ts")]));
    }

    #[test]
    fn deno_json_counts_before_package_json() {
        let files = [
            (
                "deno.json",
                json!({"name": "@a/b", "exports": "./mod.ts", "imports": {"z": "npm:zod@3", "own": "./own.ts"}}),
            ),
            ("package.json", json!({"name": "b", "dependencies": {"c": "^1"}})),
        ];
        let (package, base) = package(&files).unwrap().unwrap();
        assert_eq!((package.name.as_str(), &package.modules["@a/b"]), ("@a/b", &json!(format!("{base}/mod.ts"))));
        assert_eq!(
            (&package.imports["z"], &package.imports["own"]),
            (&json!("npm:zod@3"), &json!(format!("{base}/own.ts")))
        );
        assert_eq!(package.dependencies, [("c".to_owned(), "^1".to_owned())]);
    }

    #[test]
    fn exports_that_cannot_be_read_are_named() {
        let problem =
            |exports: Value| package(&[("package.json", json!({"name": "b", "exports": exports}))]).unwrap_err();
        assert!(problem(json!("../up.ts")).ends_with("package.json: exports: \"../up.ts\" does not start with ./"));
        assert!(problem(json!({".": "./a.ts", "b": "./b.ts"})).ends_with("exports: \"b\" does not start with a dot"));
        assert!(package(&[("package.json", json!({}))]).unwrap().is_none(), "a package without a name");
    }
}
