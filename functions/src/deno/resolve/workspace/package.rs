//! Reads a package of a workspace: its name, the modules that it exports, and its own imports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::json_file::absolute;
use super::exports::{Modules, Pattern, exported, imported, single_file};
use super::reader::Reader;

/// Files that describe a package. The first file with a name and `exports` is used, otherwise the first file with a name.
pub(super) const MANIFESTS: [&str; 3] = ["deno.json", "deno.jsonc", "package.json"];
/// Maximum length of the name of a package, as on npm.
const MAX_NAME_BYTES: usize = 214;

/// Sections of a package.json with dependencies. Later sections take precedence.
const SECTIONS: [&str; 4] = ["peerDependencies", "optionalDependencies", "devDependencies", "dependencies"];
/// Name and version of a dependency, or the reason why the version cannot be used.
pub(in super::super) type Dependency = (String, Result<String, String>);

/// A package in a folder of the repository.
#[derive(Debug)]
pub(in super::super) struct Package {
    pub(in super::super) name: String,
    pub(in super::super) folder: PathBuf,
    pub(super) manifests: Vec<PathBuf>,
    /// URLs of the exported modules by specifier. A specifier that ends with `/` matches all files of a folder.
    pub(in super::super) modules: Map<String, Value>,
    /// Dependencies that package.json lists.
    pub(in super::super) dependencies: Vec<Dependency>,
    /// Import map of deno.json, and `imports` of package.json.
    pub(in super::super) imports: Map<String, Value>,
    /// Patterns of `exports`.
    patterns: Vec<Pattern>,
    /// Patterns of `imports` of package.json.
    own_patterns: Vec<Pattern>,
    /// Why entries of `exports` or `imports` were skipped.
    pub(super) problems: Vec<String>,
}

impl Package {
    /// Reads the package in a folder. Returns `None` if the folder has no package with a name.
    pub(super) fn read(folder: &Path, reader: &mut Reader<'_>) -> Result<Option<Self>, String> {
        let mut read = Vec::new();
        for file in MANIFESTS.iter().map(|name| folder.join(name)).filter(|file| file.is_file()) {
            let value = reader.json(&file)?;
            read.push((file, value));
        }
        let name = |(_, value): &&(PathBuf, Value)| value.get("name").is_some_and(Value::is_string);
        let with_exports = read.iter().find(|file| name(file) && file.1.get("exports").is_some());
        let Some((file, described)) = with_exports.or_else(|| read.iter().find(name)) else { return Ok(None) };
        let name = described.get("name").and_then(Value::as_str).unwrap_or_default();
        let at = |problem: String| format!("{}: {problem}", file.display());
        if !is_package_name(name) {
            return Err(at(format!("{name:?} is not the name of a package")));
        }
        let Modules { found: modules, patterns, mut problems } =
            exported(name, folder, described, reader).map_err(at)?;
        let (mut dependencies, mut imports, mut own_patterns) = (Vec::new(), Map::new(), Vec::new());
        for (file, value) in &read {
            if file.ends_with("package.json") {
                dependencies.extend(dependencies_of(value).map_err(at)?);
                let own = imported(folder, value, reader).map_err(at)?;
                imports.extend(own.found);
                own_patterns.extend(own.patterns);
                problems.extend(own.problems);
            } else {
                imports.extend(absolute(value.get("imports"), file).map_err(|error| error.to_string())?);
            }
        }
        let manifests = read.iter().map(|(file, _)| file.clone()).collect();
        let (name, folder) = (name.to_owned(), folder.to_owned());
        Ok(Some(Self { name, folder, manifests, modules, dependencies, imports, patterns, own_patterns, problems }))
    }

    /// Returns the URL of the file to which a pattern of `exports` with a single file as target maps a specifier.
    pub(in super::super) fn single_file(&self, specifier: &str) -> Option<&str> {
        single_file(&self.patterns, specifier)
    }

    /// Returns the same for a pattern of the package's own `imports`.
    pub(in super::super) fn own_single_file(&self, specifier: &str) -> Option<&str> {
        single_file(&self.own_patterns, specifier)
    }

    /// Returns the exported names of the package as text, for an error message.
    pub(super) fn exported_names(&self) -> String {
        const SHOWN: usize = 12;
        let names = self.modules.iter().filter(|(_, target)| !target.is_null()).map(|(name, _)| name.as_str());
        let patterns = self.patterns.iter().filter(|(_, file)| file.is_some()).map(|(pattern, _)| pattern.as_str());
        let mut names: Vec<&str> = names.chain(patterns).take(SHOWN + 1).collect();
        if names.len() > SHOWN {
            names.truncate(SHOWN);
            names.push("…");
        }
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }
}

/// Returns the dependencies in all sections of a package.json. A version that is no text is an error only for a function that imports the
/// dependency.
///
/// # Errors
/// If a section is no object.
pub(in super::super) fn dependencies_of(package: &Value) -> Result<Vec<Dependency>, String> {
    let mut found = BTreeMap::new();
    for section in SECTIONS {
        let entries = match package.get(section) {
            None | Some(Value::Null) => continue,
            Some(entries) => entries.as_object().ok_or_else(|| format!("{section} must be an object"))?,
        };
        for (name, version) in entries {
            let text = version.as_str().map(str::to_owned);
            let problem =
                || format!("the version of {name:?} in {section} of package.json is {version}, and must be a text");
            found.insert(name.clone(), text.ok_or_else(problem));
        }
    }
    Ok(found.into_iter().collect())
}

/// Whether a text is a valid name of a package: `name` or `@scope/name`. Other names could replace URLs or relative imports.
pub(in super::super) fn is_package_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let first = part.bytes().next();
        first.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~' | b'_'))
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~' | b'_' | b'.'))
    };
    name.len() <= MAX_NAME_BYTES
        && match name.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
            None => is_part(name),
        }
}
