//! Reads the files of a workspace within limits. The files belong to the project, which may come from an untrusted author.

use std::path::Path;

use serde_json::Value;

use super::super::ImportsError;
use super::super::json_file::{parse_json, read_config};

/// Maximum number of folder entries that are visited for one function.
const MAX_ENTRIES: usize = 50_000;
/// Maximum size of all package.json and deno.json files of a workspace together.
const MAX_BYTES: usize = 32 << 20;
/// Maximum number of modules that all packages of a workspace export.
const MAX_MODULES: usize = 20_000;

/// Reads the files of a workspace: contains the remaining limits, and the check whether a file belongs to the project.
pub(super) struct Reader<'a> {
    allow: &'a dyn Fn(&Path) -> Result<(), ImportsError>,
    entries: usize,
    bytes: usize,
    modules: usize,
    /// The limit that was exceeded. In this case the workspace is not used at all, because the result would depend on the order of the
    /// folder entries.
    pub(super) exceeded: Option<String>,
}

impl<'a> Reader<'a> {
    /// `allow` returns an error for files that do not belong to the project.
    pub(super) fn new(allow: &'a dyn Fn(&Path) -> Result<(), ImportsError>) -> Self {
        Self { allow, entries: MAX_ENTRIES, bytes: MAX_BYTES, modules: MAX_MODULES, exceeded: None }
    }

    /// Returns an error if functions must not read the file or folder.
    pub(super) fn check(&self, path: &Path) -> Result<(), String> {
        (self.allow)(path).map_err(|_| {
            format!("{} leads out of the project's repository, or to files that are closed", path.display())
        })
    }

    pub(super) fn text(&mut self, file: &Path) -> Result<String, String> {
        self.check(file)?;
        let text = read_config(file).map_err(|error| error.to_string())?;
        let left = self.bytes.checked_sub(text.len());
        self.bytes = self.or_exceeded(left, || format!("its files are larger than {} MB", MAX_BYTES >> 20))?;
        Ok(text)
    }

    pub(super) fn json(&mut self, file: &Path) -> Result<Value, String> {
        let text = self.text(file)?;
        parse_json(file, &text).map_err(|error| error.to_string())
    }

    /// Counts visited folder entries. Other work that takes as long as visiting entries is counted in the same way.
    pub(super) fn visit(&mut self, entries: usize) -> Result<(), String> {
        let left = self.entries.checked_sub(entries);
        self.entries = self.or_exceeded(left, || format!("more than {MAX_ENTRIES} files and folders were searched"))?;
        Ok(())
    }

    /// Counts an exported module.
    pub(super) fn export(&mut self) -> Result<(), String> {
        let left = self.modules.checked_sub(1);
        self.modules = self.or_exceeded(left, || format!("its packages export more than {MAX_MODULES} modules"))?;
        Ok(())
    }

    /// Records a limit that was exceeded and returns it as an error.
    pub(super) fn exceed(&mut self, limit: String) -> String {
        self.exceeded.get_or_insert(limit).clone()
    }

    fn or_exceeded(&mut self, left: Option<usize>, limit: impl Fn() -> String) -> Result<usize, String> {
        left.ok_or_else(|| self.exceed(limit()))
    }
}
