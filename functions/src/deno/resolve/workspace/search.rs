//! Finds the folders of packages that match the patterns of a workspace, without leaving the workspace's folder and without following links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::package::MANIFESTS;
use super::reader::Reader;

const MAX_PACKAGES: usize = 1_000;
/// Maximum number of folder levels below the workspace's folder.
const MAX_DEPTH: usize = 12;
/// Maximum number of patterns, also after `{a,b}` is expanded.
const MAX_PATTERNS: usize = 200;
/// Maximum number of components of a pattern, and of bytes in one component.
const MAX_PARTS: usize = 24;
const MAX_PART_BYTES: usize = 255;

/// A component of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Name(String),
    /// A name with `*` or `?`.
    Wildcard(String),
    /// `**`: any number of folders.
    AnyDepth,
}

type Pattern = Vec<Part>;

/// Searches the folders of packages below `root`. Returns them with the problems of patterns and folders that were skipped.
pub(super) fn folders(root: &Path, patterns: &[String], reader: &mut Reader<'_>) -> (BTreeSet<PathBuf>, Vec<String>) {
    let (mut included, mut excluded, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for text in patterns.iter().take(MAX_PATTERNS) {
        let (list, pattern) = match text.strip_prefix('!') {
            Some(pattern) => (&mut excluded, pattern),
            None => (&mut included, text.as_str()),
        };
        match parse(pattern) {
            Ok(parsed) => list.extend(parsed),
            Err(problem) => problems.push(format!("the pattern {text:?} of packages is skipped: {problem}")),
        }
    }
    if patterns.len() > MAX_PATTERNS || included.len() > MAX_PATTERNS {
        problems.push(format!("more than {MAX_PATTERNS} patterns of packages: the others are skipped"));
        included.truncate(MAX_PATTERNS);
    }
    let states = (0..included.len()).map(|pattern| (pattern, 0)).collect();
    let mut search = Search { root, included, excluded, reader, found: BTreeSet::new(), problems };
    // The reader records the error.
    drop(search.folder(&mut Vec::new(), states));
    (search.found, search.problems)
}

struct Search<'a, 'r> {
    root: &'a Path,
    included: Vec<Pattern>,
    excluded: Vec<Pattern>,
    reader: &'a mut Reader<'r>,
    found: BTreeSet<PathBuf>,
    problems: Vec<String>,
}

/// Positions in the included patterns that a path has reached: index of the pattern, and index of its next component.
type States = BTreeSet<(usize, usize)>;

impl Search<'_, '_> {
    /// Searches a folder whose path below the root has the components `below`.
    fn folder(&mut self, below: &mut Vec<String>, states: States) -> Result<(), String> {
        let folder = below.iter().fold(self.root.to_owned(), |folder, name| folder.join(name));
        let states = with_empty_matches(&self.included, states);
        self.reader.visit(1 + states.len() / 32)?;
        let part = |(pattern, next): &(usize, usize)| self.included.get(*pattern)?.get(*next);
        let is_package = states.iter().any(|state| part(state).is_none());
        let waiting: Vec<Part> = states.iter().filter_map(part).cloned().collect();
        if is_package && !self.is_excluded(below) && MANIFESTS.iter().any(|name| folder.join(name).is_file()) {
            self.add(folder.clone())?;
        }
        if waiting.is_empty() || below.len() >= MAX_DEPTH {
            return Ok(());
        }
        let named: Option<BTreeSet<&String>> =
            waiting.iter().map(|part| if let Part::Name(name) = part { Some(name) } else { None }).collect();
        let names: BTreeSet<String> = match named {
            Some(named) => named.into_iter().cloned().collect(),
            None => self.names_in(&folder)?,
        };
        for name in names {
            let next = after(&self.included, &states, &name);
            if !next.is_empty() && self.may_enter(&folder.join(&name), &name) {
                below.push(name);
                self.folder(below, next)?;
                below.pop();
            }
        }
        Ok(())
    }

    fn add(&mut self, folder: PathBuf) -> Result<(), String> {
        if self.found.len() >= MAX_PACKAGES {
            return Err(self.reader.exceed(format!("it has more than {MAX_PACKAGES} packages")));
        }
        self.found.insert(folder);
        Ok(())
    }

    /// Returns the names of a folder's entries, sorted. Names that are not UTF-8 match no pattern.
    fn names_in(&mut self, folder: &Path) -> Result<BTreeSet<String>, String> {
        let mut names = BTreeSet::new();
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(error) => {
                self.problems.push(format!("{}: {error}", folder.display()));
                return Ok(names);
            }
        };
        for entry in entries.flatten() {
            self.reader.visit(1)?;
            names.extend(entry.file_name().into_string().ok());
        }
        Ok(names)
    }

    /// Whether an entry is a folder to search. Hidden folders, installed packages and the server's data folder are not searched.
    fn may_enter(&mut self, path: &Path, name: &str) -> bool {
        if name.starts_with('.') || name == "node_modules" {
            return false;
        }
        let Ok(kind) = path.symlink_metadata().map(|metadata| metadata.file_type()) else { return false };
        if kind.is_symlink() && MANIFESTS.iter().any(|name| path.join(name).exists()) {
            self.problems.push(format!("{} is a link, which is not followed", path.display()));
        }
        kind.is_dir() && self.reader.check(path).is_ok()
    }

    fn is_excluded(&self, below: &[String]) -> bool {
        let start = with_empty_matches(&self.excluded, (0..self.excluded.len()).map(|pattern| (pattern, 0)).collect());
        let end = below
            .iter()
            .fold(start, |states, name| with_empty_matches(&self.excluded, after(&self.excluded, &states, name)));
        end.iter().any(|(pattern, next)| self.excluded.get(*pattern).is_some_and(|parts| parts.len() == *next))
    }
}

/// Adds the positions after each `**`, because `**` also matches zero folders.
fn with_empty_matches(patterns: &[Pattern], mut states: States) -> States {
    let mut waiting: Vec<(usize, usize)> = states.iter().copied().collect();
    while let Some((pattern, next)) = waiting.pop() {
        let is_any = patterns.get(pattern).and_then(|parts| parts.get(next)) == Some(&Part::AnyDepth);
        if is_any && states.insert((pattern, next + 1)) {
            waiting.push((pattern, next + 1));
        }
    }
    states
}

/// Returns the positions after a folder with this name.
fn after(patterns: &[Pattern], states: &States, name: &str) -> States {
    let step = |&(pattern, next): &(usize, usize)| match patterns.get(pattern)?.get(next)? {
        Part::AnyDepth => Some((pattern, next)),
        part => is_match(part, name).then_some((pattern, next + 1)),
    };
    states.iter().filter_map(step).collect()
}

/// Parses a folder pattern. For a pattern with alternatives such as `{a,b}`, returns one pattern for each alternative.
fn parse(pattern: &str) -> Result<Vec<Pattern>, String> {
    if pattern.starts_with(['/', '~']) || pattern.contains("://") {
        return Err("it is not relative to the folder of the workspace".to_owned());
    }
    if pattern.contains(['[', ']', '(', ')', '\\']) {
        return Err("only *, **, ? and {a,b} are understood".to_owned());
    }
    let expanded = expand(pattern)?;
    expanded.iter().map(|pattern| parts(pattern)).collect()
}

fn parts(pattern: &str) -> Result<Pattern, String> {
    let parts = pattern.split('/').filter(|part| !part.is_empty() && *part != ".");
    let part = |part: &str| match part {
        ".." => Err("it leads out of the folder of the workspace".to_owned()),
        "**" => Ok(Part::AnyDepth),
        _ if part.len() > MAX_PART_BYTES => Err(format!("a component has more than {MAX_PART_BYTES} bytes")),
        _ if part.contains(['*', '?']) => Ok(Part::Wildcard(part.to_owned())),
        _ => Ok(Part::Name(part.to_owned())),
    };
    let mut parts: Pattern = parts.map(part).collect::<Result<_, _>>()?;
    parts.dedup_by(|a, b| *a == Part::AnyDepth && *b == Part::AnyDepth);
    match parts.len() > MAX_PARTS {
        true => Err(format!("it has more than {MAX_PARTS} components")),
        false => Ok(parts),
    }
}

/// Expands each `{a,b}` of a pattern.
fn expand(pattern: &str) -> Result<Vec<String>, String> {
    let mut waiting = vec![pattern.to_owned()];
    let mut expanded = Vec::new();
    while let Some(pattern) = waiting.pop() {
        // After the last opening bracket, the pattern contains no further opening bracket.
        let Some((start, rest)) = pattern.rsplit_once('{') else {
            expanded.push(pattern);
            continue;
        };
        let (inner, end) = rest.split_once('}').ok_or("a { has no }")?;
        waiting.extend(inner.split(',').map(|choice| format!("{start}{choice}{end}")));
        if waiting.len() + expanded.len() > MAX_PATTERNS {
            return Err(format!("it stands for more than {MAX_PATTERNS} patterns"));
        }
    }
    Ok(expanded)
}

fn is_match(part: &Part, name: &str) -> bool {
    match part {
        Part::Name(text) => text == name,
        Part::Wildcard(pattern) => is_wildcard_match(pattern.as_bytes(), name.as_bytes()),
        Part::AnyDepth => true,
    }
}

/// Whether a name matches a pattern in which `*` stands for any number of characters and `?` for one character. The running time is at most
/// quadratic in the length of the texts.
fn is_wildcard_match(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(next) {
        match (pattern.get(at), star) {
            (Some(b'*'), _) => {
                star = Some((at, next));
                at += 1;
            }
            (Some(other), _) if *other == b'?' || other == byte => (at, next) = (at + 1, next + 1),
            (_, Some((place, from))) => {
                star = Some((place, from + 1));
                (at, next) = (place + 1, from + 1);
            }
            _ => return false,
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}
