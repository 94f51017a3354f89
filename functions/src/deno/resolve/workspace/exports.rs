//! The modules of a package by specifier: `exports` of a package.json or deno.json, `imports` of a package.json, or the main module.

use std::path::Path;

use serde_json::{Map, Value};
use url::Url;

use super::reader::Reader;

/// Conditions in `exports` under which Deno uses a target.
const CONDITIONS: [&str; 5] = ["deno", "node", "import", "module-sync", "default"];
/// Endings that are appended to the path of a main module until a file exists. The first endings are those that Node tries.
const ENDINGS: [&str; 12] = [
    "",
    ".js",
    "/index.js",
    ".ts",
    ".tsx",
    ".mjs",
    ".mts",
    ".jsx",
    "/index.ts",
    "/index.tsx",
    "/index.mjs",
    "/index.mts",
];
/// Maximum number of folder levels that a `*` in a target can match.
const MAX_DEPTH: usize = 12;

/// A specifier with one `*`, and the URL of the file if the target is a single file.
pub(super) type Pattern = (String, Option<String>);

/// The modules of a package by specifier. A specifier that ends with `/` stands for a folder, the target null for no module.
#[derive(Debug, Default)]
pub(super) struct Modules {
    pub(super) found: Map<String, Value>,
    /// All patterns, the most specific first. Their modules are in `found`, except those of patterns whose target is a single file: an import
    /// map cannot contain all specifiers that such a pattern matches.
    pub(super) patterns: Vec<Pattern>,
    /// Why entries of `exports` were skipped.
    pub(super) problems: Vec<String>,
}

/// The target of an entry for Deno.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    Path(String),
    /// The entry excludes modules that a less specific pattern would include.
    Blocked,
    /// No condition of the entry is true.
    Nothing,
}

/// Returns the exported modules of the package `name`.
pub(super) fn exported(
    name: &str,
    folder: &Path,
    manifest: &Value,
    reader: &mut Reader<'_>,
) -> Result<Modules, String> {
    let Some(exports) = manifest.get("exports").filter(|exports| !exports.is_null()) else {
        return main_module(name, folder, manifest, reader);
    };
    let entries: Vec<(&str, &Value)> = match exports.as_object() {
        Some(subpaths) if subpaths.keys().any(|key| key.starts_with('.')) => {
            subpaths.iter().map(|(key, target)| (key.as_str(), target)).collect()
        }
        _ => vec![(".", exports)],
    };
    let specifier = |key: &str| Some(format!("{name}{}", key.strip_prefix('.')?));
    modules(folder, &entries, &specifier, reader)
}

/// Returns the modules in `imports` of a package.json, whose specifiers begin with `#`. Targets that are not files are skipped.
pub(super) fn imported(folder: &Path, manifest: &Value, reader: &mut Reader<'_>) -> Result<Modules, String> {
    let entries = manifest.get("imports").and_then(Value::as_object);
    let entries = entries.into_iter().flatten().filter(|(key, _)| key.starts_with('#'));
    let entries: Vec<(&str, &Value)> = entries.map(|(key, target)| (key.as_str(), target)).collect();
    modules(folder, &entries, &|key: &str| Some(key.to_owned()), reader)
}

/// Returns the main module of a package without `exports`. All files of such a package can be imported.
fn main_module(name: &str, folder: &Path, manifest: &Value, reader: &mut Reader<'_>) -> Result<Modules, String> {
    let mut modules = Modules::default();
    let text = |key: &str| manifest.get(key).and_then(Value::as_str);
    // As in Deno, `module` comes first in a package without `type`.
    let keys = if text("type").is_none() { ["module", "main"] } else { ["main", "module"] };
    let named = keys.iter().filter_map(|key| text(key));
    let named = named.map(|main| main.trim_start_matches("./").trim_end_matches('/'));
    for main in named.filter(|main| !main.is_empty() && *main != ".").chain(["index"]) {
        let main = format!("./{main}");
        match module_url(folder, &main, reader) {
            Err(problem) => modules.problems.push(problem),
            Ok(_) => {
                let paths = ENDINGS.iter().map(|ending| format!("{main}{ending}"));
                let file = paths.into_iter().find(|path| folder.join(path.trim_start_matches("./")).is_file());
                if let Some(file) = file {
                    reader.export()?;
                    modules.found.insert(name.to_owned(), module_url(folder, &file, reader)?.into());
                    break;
                }
            }
        }
    }
    reader.export()?;
    modules.found.insert(format!("{name}/"), folder_url(folder)?.into());
    Ok(modules)
}

/// Returns the modules of the entries of `exports` or `imports`. `specifier` returns the specifier of a key, or `None` for a key that is not
/// valid.
fn modules(
    folder: &Path,
    entries: &[(&str, &Value)],
    specifier: &dyn Fn(&str) -> Option<String>,
    reader: &mut Reader<'_>,
) -> Result<Modules, String> {
    let mut modules = Modules::default();
    let mut patterns = Vec::new();
    for &(key, target) in entries {
        let Some(specifier) = specifier(key) else {
            return Err(format!("{key:?} is not a valid key among the others: all keys begin with a dot, or none"));
        };
        let target = chosen(target);
        if key.contains('*') {
            patterns.push((specifier, target));
            continue;
        }
        reader.export()?;
        match target {
            // Node no longer supports a folder as a key, and Deno never supported it.
            Target::Path(_) if key.ends_with('/') => {
                modules.problems.push(format!("{key:?}: a folder is exported with a pattern, such as {key:?}*"));
            }
            Target::Path(path) => match module_url(folder, &path, reader) {
                Ok(url) => drop(modules.found.insert(specifier, url.into())),
                Err(problem) => {
                    modules.problems.push(problem);
                    modules.found.insert(specifier, Value::Null);
                }
            },
            Target::Blocked | Target::Nothing => drop(modules.found.insert(specifier, Value::Null)),
        }
    }
    // The most specific pattern takes precedence: the pattern with the longest text before its `*`, and among these the longest pattern.
    let rank = |specifier: &str| (specifier.find('*').unwrap_or_default(), specifier.len());
    patterns.sort_by_key(|(specifier, _)| std::cmp::Reverse(rank(specifier)));
    for (index, (specifier, target)) in patterns.iter().enumerate() {
        let before = patterns.get(..index).unwrap_or_default();
        add_pattern(&mut modules, folder, (specifier.as_str(), target), before, reader)?;
    }
    Ok(modules)
}

/// Adds the modules that match a pattern. `before` contains more specific patterns, which take precedence.
fn add_pattern(
    modules: &mut Modules,
    folder: &Path,
    (specifier, target): (&str, &Target),
    before: &[(String, Target)],
    reader: &mut Reader<'_>,
) -> Result<(), String> {
    let Some((start, end)) = specifier.split_once('*').filter(|(_, end)| !end.contains('*')) else {
        modules.problems.push(format!("{specifier:?} has several *"));
        return Ok(());
    };
    let path = match target {
        Target::Path(path) if path.contains('*') => path,
        other => {
            reader.export()?;
            // The folder of a less specific pattern does not apply to these specifiers.
            if end.is_empty() && start.ends_with('/') {
                modules.found.entry(start).or_insert(Value::Null);
            }
            let mut file_url = None;
            if let Target::Path(file) = other {
                match module_url(folder, file, reader) {
                    Ok(url) => file_url = Some(url),
                    Err(problem) => modules.problems.push(problem),
                }
            }
            modules.patterns.push((specifier.to_owned(), file_url));
            return Ok(());
        }
    };
    modules.patterns.push((specifier.to_owned(), None));
    if let Err(problem) = module_url(folder, &path.replacen('*', "x", 1), reader) {
        modules.problems.push(problem);
        return Ok(());
    }
    let Some((from, to)) = path.split_once('*').filter(|(_, after)| !after.contains('*')) else {
        modules.problems.push(format!("{path:?} has several *"));
        return Ok(());
    };
    let is_before = |specifier: &str| before.iter().any(|(pattern, _)| stands_for(pattern, specifier));
    let below = from.trim_start_matches("./");
    // A folder in an import map covers all files of the folder, including files that are created later.
    let is_folder = end.is_empty() && to.is_empty() && start.ends_with('/') && from.ends_with('/');
    // It would also cover what a more specific pattern with an ending maps to a single file.
    let is_narrowed = before.iter().any(|(pattern, target)| {
        pattern.starts_with(start)
            && !pattern.ends_with('*')
            && matches!(target, Target::Path(file) if !file.contains('*'))
    });
    if is_folder && !is_narrowed {
        reader.export()?;
        modules.found.entry(start).or_insert(folder_url(&folder.join(below))?.into());
        return Ok(());
    }
    for matched in matches(folder, below, to, reader)? {
        let specifier = format!("{start}{matched}{end}");
        if !is_before(&specifier) && !modules.found.contains_key(&specifier) {
            reader.export()?;
            match module_url(folder, &format!("./{below}{}{to}", encoded(&matched)), reader) {
                Ok(url) => drop(modules.found.insert(specifier, url.into())),
                Err(problem) => modules.problems.push(problem),
            }
        }
    }
    Ok(())
}

/// Returns the URL of the file that a pattern maps the specifier to, if its most specific pattern has a single file as target.
pub(super) fn single_file<'a>(patterns: &'a [Pattern], specifier: &str) -> Option<&'a str> {
    patterns.iter().find(|(pattern, _)| stands_for(pattern, specifier))?.1.as_deref()
}

/// Whether a pattern with one `*` stands for a specifier.
fn stands_for(pattern: &str, specifier: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return false };
    specifier.len() > start.len() + end.len() && specifier.starts_with(start) && specifier.ends_with(end)
}

/// Returns the target that Deno uses: the first target whose condition is true.
fn chosen(target: &Value) -> Target {
    match target {
        Value::String(path) => Target::Path(path.clone()),
        Value::Null => Target::Blocked,
        Value::Array(targets) => {
            let mut last = Target::Nothing;
            for target in targets {
                match chosen(target) {
                    Target::Path(path) if checked_path(&path).is_ok() => return Target::Path(path),
                    Target::Nothing => {}
                    other => last = other,
                }
            }
            last
        }
        Value::Object(conditions) => {
            let applying = conditions.iter().filter(|(name, _)| CONDITIONS.contains(&name.as_str()));
            applying
                .map(|(_, target)| chosen(target))
                .find(|target| *target != Target::Nothing)
                .unwrap_or(Target::Nothing)
        }
        _ => Target::Nothing,
    }
}

/// Returns the URL of a target. Like Node, refuses targets that could leave the package; links must not leave the repository.
fn module_url(folder: &Path, target: &str, reader: &Reader<'_>) -> Result<String, String> {
    let path = checked_path(target)?;
    let base = Url::parse(&folder_url(folder)?).map_err(|error| error.to_string())?;
    let url = base.join(&format!("./{path}")).map_err(|error| format!("{target:?}: {error}"))?;
    let file = url.to_file_path().map_err(|()| format!("{target:?} is no path of a file"))?;
    if !file.starts_with(folder) {
        return Err(format!("{target:?} leads out of the package"));
    }
    reader.check(&file).map_err(|problem| format!("{target:?}: {problem}"))?;
    Ok(url.into())
}

/// Returns a target without its `./`.
fn checked_path(target: &str) -> Result<&str, String> {
    let path = target.strip_prefix("./").ok_or_else(|| format!("{target:?} does not begin with ./"))?;
    let lower = path.to_ascii_lowercase().replace("%2e", ".");
    let is_encoded = ["%2f", "%5c", "\\", "\0"].iter().any(|text| lower.contains(text));
    // A path may end with a slash.
    let is_odd = |part: &str| matches!(part, "" | "." | ".." | "node_modules");
    match is_encoded || lower.strip_suffix('/').unwrap_or(&lower).split('/').any(is_odd) {
        true => Err(format!("{target:?} leads out of the package")),
        false => Ok(path),
    }
}

/// Returns all texts for which the path `start` + text + `end` is a file in the folder.
fn matches(folder: &Path, start: &str, end: &str, reader: &mut Reader<'_>) -> Result<Vec<String>, String> {
    let visible = |entry: &walkdir::DirEntry| {
        entry.depth() == 0
            || entry.file_name() != "node_modules" && !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let parent = folder.join(start.rsplit_once('/').map_or("", |(parent, _)| parent));
    reader.check(&parent)?;
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(parent).max_depth(MAX_DEPTH).into_iter().filter_entry(visible).flatten() {
        reader.visit(1)?;
        let path = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        let matched = path.and_then(|path| path.strip_prefix(start)?.strip_suffix(end)).filter(|text| !text.is_empty());
        found.extend(matched.filter(|_| entry.file_type().is_file()).map(str::to_owned));
    }
    Ok(found)
}

/// Encodes the characters of a file name that have a meaning in a URL.
fn encoded(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3F").replace('#', "%23").replace('\\', "%5C")
}

fn folder_url(folder: &Path) -> Result<String, String> {
    Url::from_directory_path(folder)
        .map(String::from)
        .map_err(|()| format!("{} is not an absolute path", folder.display()))
}
