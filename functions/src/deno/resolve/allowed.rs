//! Checks which files a function may import: files of its repository, except files that may contain secrets.

use std::path::Path;

use super::ImportsError;
use crate::deno::Source;
use crate::source::{normalized, real};

/// Prefixes of the names of files and folders that often contain secrets and never contain modules.
const CLOSED_NAMES: [&str; 4] = [".env", ".git", ".npmrc", ".yarnrc"];

/// Returns an error for a file that a function may not import: a file that [`check_place`] refuses, or a file with secrets. Deno reads
/// imported files with the rights of Cloch, and a function can read the content of the files that it imports.
pub(super) fn check_file(source: &Source, modules: &Path, file: &Path) -> Result<(), ImportsError> {
    check_place(source, modules, file)?;
    let (target, repository) = (real(&normalized(file)), real(&normalized(&source.repository)));
    let below = target.strip_prefix(repository).unwrap_or(Path::new(""));
    let mut names = below.components().map(|name| name.as_os_str().to_string_lossy());
    match names.any(|name| CLOSED_NAMES.iter().any(|closed| is_named(&name, closed))) {
        true => Err(ImportsError::Outside(file.to_owned())),
        false => Ok(()),
    }
}

/// Returns an error for files outside the function's own code ([`Source::repository`]), and for files of the server. Symbolic links are resolved
/// before the check.
fn check_place(source: &Source, modules: &Path, file: &Path) -> Result<(), ImportsError> {
    let target = real(&normalized(file));
    let inside = |folder: &Path| target.starts_with(real(&normalized(folder)));
    match inside(modules) || inside(&source.repository) && !source.is_closed(&target) {
        true => Ok(()),
        false => Err(ImportsError::Outside(file.to_owned())),
    }
}

/// Whether a file name equals `closed`, or begins with `closed` and a dot, such as `.env.local` and `.yarnrc.yml`.
fn is_named(name: &str, closed: &str) -> bool {
    name.strip_prefix(closed).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Replaces Deno's error about a file outside the function by an error that contains only the path. Deno's errors quote lines of the file,
/// which must not be shown. `own`: folders of generated and downloaded files, whose paths may be shown in errors.
pub(super) fn without_quotes(
    source: &Source,
    (modules, own): (&Path, [&Path; 2]),
    error: ImportsError,
) -> ImportsError {
    let ImportsError::Deno(text) = &error else { return error };
    let named = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | ','));
    let files = named.filter(|word| word.starts_with('/')).map(|word| word.split(':').next().unwrap_or(word));
    let is_foreign = |file: &&Path| file.is_file() && !own.iter().any(|own| file.starts_with(own));
    let outside = files.map(Path::new).filter(is_foreign).find_map(|file| check_file(source, modules, file).err());
    outside.unwrap_or(error)
}
