//! Glob patterns for file paths in config.toml, with the rules of the Supabase CLI. The CLI uses Go's `fs.Glob` for `db.seed.sql_paths` and,
//! when it deploys functions, for `functions.*.static_files`. In `fs.Glob`, each path component of a pattern follows the rules of Go's
//! `path.Match`.

mod matcher;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use self::matcher::Matcher;

/// Meaning of the path component `**` in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubleStar {
    /// `**` matches exactly one path component, like `*`. Go has this rule.
    OneFolder,
    /// `**` matches any number of folders. As the last component, `**` matches all files in these folders. This is the rule of Supabase's
    /// edge runtime, which evaluates the patterns of static files for `supabase functions serve`.
    AnyDepth,
}

/// A valid glob pattern for file paths.
#[derive(Clone, Debug)]
pub struct Pattern {
    is_absolute: bool,
    components: Vec<Component>,
}

#[derive(Clone, Debug)]
enum Component {
    Name(String),
    Wildcard(Matcher),
    AnyDepth,
}

/// Reasons why a pattern is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPattern {
    /// A character class has no closing bracket, or a `\` is not followed by a character.
    #[error(
        "{0:?} is not a valid pattern: a character class such as [a-z] is incomplete, or a \\ has no character behind it"
    )]
    Syntax(String),
    /// A `..` follows a wildcard. Such a `..` would mean the parent of a folder whose name is not known.
    #[error("{0:?} goes up (..) behind a wildcard: write it without")]
    ParentBehindWildcard(String),
}

impl Pattern {
    /// Parses a pattern without reading the file system. As in the Supabase CLI, removes each `.` component, and each `..` together with
    /// the component before it, if no wildcard precedes them.
    ///
    /// # Errors
    /// If a component is not valid, or `..` follows a wildcard.
    pub fn parse(pattern: &str, double_star: DoubleStar) -> Result<Self, InvalidPattern> {
        let is_absolute = pattern.starts_with('/');
        let mut components = Vec::new();
        for part in pattern.split('/').filter(|part| !part.is_empty() && *part != ".") {
            let component = match part {
                ".." => {
                    let is_behind_wildcard =
                        components.iter().any(|component| !matches!(component, Component::Name(_)));
                    if is_behind_wildcard {
                        return Err(InvalidPattern::ParentBehindWildcard(pattern.to_owned()));
                    }
                    match components.last() {
                        Some(Component::Name(name)) if name != ".." => {
                            components.pop();
                            continue;
                        }
                        None if is_absolute => continue,
                        _ => Component::Name(part.to_owned()),
                    }
                }
                "**" if double_star == DoubleStar::AnyDepth => Component::AnyDepth,
                _ if part.contains(['*', '?', '[', '\\']) => {
                    let matcher = Matcher::parse(part).ok_or_else(|| InvalidPattern::Syntax(pattern.to_owned()))?;
                    Component::Wildcard(matcher)
                }
                _ => Component::Name(part.to_owned()),
            };
            components.push(component);
        }
        Ok(Self { is_absolute, components })
    }

    /// Returns the path with which all matches begin: the components before the first wildcard. The path is relative if the pattern is
    /// relative.
    #[must_use]
    pub fn fixed_prefix(&self) -> PathBuf {
        let root = if self.is_absolute { PathBuf::from("/") } else { PathBuf::new() };
        self.components.iter().map_while(Component::name).fold(root, |path, name| path.join(name))
    }

    /// Returns the files and folders that match the pattern, sorted by the bytes of their paths. A relative pattern is resolved in the folder
    /// `base`. `**` does not follow symbolic links to folders.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read.
    pub fn files(&self, base: &Path) -> io::Result<Vec<PathBuf>> {
        if self.components.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = BTreeSet::from([base.join(if self.is_absolute { "/" } else { "" })]);
        for (index, component) in self.components.iter().enumerate() {
            let is_last = index + 1 == self.components.len();
            let mut next = BTreeSet::new();
            for path in found {
                match component {
                    Component::Name(name) => drop(next.insert(path.join(name))),
                    Component::Wildcard(matcher) => next.extend(entries(&path, |name| matcher.matches(name))?),
                    Component::AnyDepth => any_depth(path, is_last, &mut next)?,
                }
            }
            found = next;
        }
        let mut found: Vec<PathBuf> = found.into_iter().filter(|path| path.symlink_metadata().is_ok()).collect();
        found.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        Ok(found)
    }
}

impl Component {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Wildcard(_) | Self::AnyDepth => None,
        }
    }
}

/// Adds all folders below `folder`, and `folder` itself, to `found`. If `is_files` is set, adds the files in these folders instead of the
/// folders.
fn any_depth(folder: PathBuf, is_files: bool, found: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let mut waiting = vec![folder];
    while let Some(folder) = waiting.pop() {
        for entry in entries(&folder, |_| true)? {
            let kind = entry.symlink_metadata()?.file_type();
            if kind.is_dir() {
                waiting.push(entry);
            } else if is_files {
                found.insert(entry);
            }
        }
        if !is_files {
            found.insert(folder);
        }
    }
    Ok(())
}

/// Returns the paths of a folder's entries for whose names `accepts` returns true. The list is empty if the folder does not exist.
fn entries(folder: &Path, accepts: impl Fn(&[u8]) -> bool) -> io::Result<Vec<PathBuf>> {
    let failed = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(failed(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if accepts(entry.file_name().as_encoded_bytes()) {
            paths.push(entry.path());
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of Go's `fs.Glob` and `path.Match`, written by `tests/glob/main.go`.
    const ANSWERS: &str = include_str!("../../tests/glob/answers.tsv");
    /// Files that `tests/glob/main.go` creates for its patterns.
    const FILES: [&str; 15] = [
        "seed.sql",
        "seeds/1_a.sql",
        "seeds/2_b.sql",
        "seeds/10_c.sql",
        "seeds/é.sql",
        "seeds/.hidden.sql",
        "seeds/README.md",
        "seeds/deep/1_d.sql",
        "seeds/deep/er/2_e.sql",
        "seeds-extra/1.sql",
        "seeds/[1].sql",
        "seeds/a*b.sql",
        "other/x.html",
        "other/deep/y.html",
        "other/deep/er/z.html",
    ];

    /// Parses a quoted text that Go's `strconv.QuoteToASCII` wrote.
    fn unquoted(text: &str) -> Vec<u8> {
        let (mut bytes, mut rest) = (Vec::new(), text.chars());
        while let Some(character) = rest.next() {
            let escape = if character == '\\' { rest.next() } else { None };
            let mut number =
                |digits: usize| u32::from_str_radix(&rest.by_ref().take(digits).collect::<String>(), 16).unwrap();
            match escape {
                None => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
                Some('x') => bytes.push(u8::try_from(number(2)).unwrap()),
                Some('u') => bytes.extend(char::from_u32(number(4)).unwrap().encode_utf8(&mut [0; 4]).bytes()),
                Some(other) => bytes.push(u8::try_from(other).unwrap()),
            }
        }
        bytes
    }

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in FILES {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        folder
    }

    fn found(folder: &Path, pattern: &str, double_star: DoubleStar) -> Vec<String> {
        let files = Pattern::parse(pattern, double_star).unwrap().files(folder).unwrap();
        files.iter().map(|file| file.strip_prefix(folder).unwrap().display().to_string()).collect()
    }

    #[test]
    fn matches_the_names_that_go_matches() {
        let mut count = 0;
        for line in ANSWERS.lines().filter_map(|line| line.strip_prefix("match\t")) {
            let [pattern, name, expected] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            let pattern = String::from_utf8(unquoted(pattern)).unwrap();
            let matched = Matcher::parse(&pattern).map(|matcher| matcher.matches(&unquoted(name)));
            assert_eq!(matched.map_or_else(|| "bad".to_owned(), |matched| matched.to_string()), expected, "{line}");
            count += 1;
        }
        assert!(count > 1000, "{count}");
    }

    #[test]
    fn finds_the_files_that_go_finds() {
        let folder = tree();
        let mut count = 0;
        for line in ANSWERS.lines().filter_map(|line| line.strip_prefix("files\t")) {
            let (pattern, expected) = line.split_once('\t').unwrap();
            let text = |quoted: &str| String::from_utf8(unquoted(quoted)).unwrap();
            let pattern = text(pattern);
            let answer = match Pattern::parse(&pattern, DoubleStar::OneFolder) {
                Ok(_) => found(folder.path(), &pattern, DoubleStar::OneFolder).join(" "),
                Err(_) => "bad".to_owned(),
            };
            assert_eq!(answer, text(expected), "{pattern}");
            count += 1;
        }
        assert!(count > 40, "{count}");
    }

    #[test]
    fn a_double_star_of_static_files_matches_folders_of_any_depth() {
        let folder = tree();
        let found = |pattern: &str| found(folder.path(), pattern, DoubleStar::AnyDepth).join(" ");
        assert_eq!(found("./other/**/*.html"), "other/deep/er/z.html other/deep/y.html other/x.html");
        assert_eq!(found("other/**"), "other/deep/er/z.html other/deep/y.html other/x.html");
        assert_eq!(found("**/deep/**/?.html"), "other/deep/er/z.html other/deep/y.html");
        assert_eq!(found("**.sql"), "seed.sql");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("..", folder.path().join("other/up")).unwrap();
            assert_eq!(found("other/**/*.html"), "other/deep/er/z.html other/deep/y.html other/x.html");
        }
    }

    #[test]
    fn parent_folders_are_removed_before_the_first_wildcard_only() {
        let folder = tree();
        let base = folder.path().join("other/deep");
        let found = |pattern: &str| Pattern::parse(pattern, DoubleStar::OneFolder).unwrap().files(&base).unwrap();
        assert_eq!(found("../../seed.*"), [base.join("../../seed.sql")]);
        assert_eq!(found("nothing/../e?/z.html"), [base.join("er/z.html")]);
        assert_eq!(found(""), Vec::<PathBuf>::new());
        let absolute = format!("{}/seeds/../seed.*", folder.path().display());
        assert_eq!(found(&absolute), [folder.path().join("seed.sql")]);
        let prefix = |pattern: &str| Pattern::parse(pattern, DoubleStar::OneFolder).unwrap().fixed_prefix();
        assert_eq!(prefix("./a/../b//c/*/d"), Path::new("b/c"));
        assert_eq!(prefix("/../etc/*"), Path::new("/etc"));
        let refused = Pattern::parse("a/*/../b", DoubleStar::OneFolder).unwrap_err();
        assert_eq!(refused, InvalidPattern::ParentBehindWildcard("a/*/../b".into()));
    }
}
