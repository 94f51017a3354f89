//! Finds PostgreSQL's client programs. Their version must support the PostgreSQL server of the source.

use std::path::{Path, PathBuf};

use cloch_core::programs;
use cloch_sql::embedded::{Binaries, major_version};

use crate::error::CommandError;

/// Returns a folder that contains a pg_dump for a PostgreSQL server of the major version `server`: pg_dump can dump servers of its own
/// version and of older versions. The folder `named` is searched first.
///
/// # Errors
/// If no suitable pg_dump is installed. The message names the package to install.
pub(crate) fn folder_for(server: u32, named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let folders = match named {
        Some(folder) => vec![folder.to_owned()],
        None => Vec::new(),
    };
    let folders = folders.into_iter().chain(Binaries::folders());
    let mut newest = None;
    for folder in folders {
        let program = folder.join("pg_dump");
        if !program.exists() {
            continue;
        }
        programs::trusted_link(&program)?;
        match version_of(&program) {
            Some(version) if version >= server => return Ok(folder),
            found => newest = newest.max(found),
        }
    }
    let found = newest.map_or("none was found".to_owned(), |version| format!("the newest one found is {version}"));
    Err(format!(
        "the source is PostgreSQL {server}, which pg_dump {server} or newer can read; {found} (looked in CLOCH_POSTGRES_BIN, PATH, \
         /usr/lib/postgresql). Install postgresql-client-{server} (Debian and Ubuntu: from apt.postgresql.org), name its bin folder in \
         CLOCH_POSTGRES_BIN, or give the files of `supabase db dump` with --dir"
    )
    .into())
}

fn version_of(program: &Path) -> Option<u32> {
    major_version(program, "pg_dump")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_to_install_where_no_version_can_read_the_server() {
        let message = folder_for(99, None).unwrap_err().to_string();
        assert!(message.contains("postgresql-client-99") && message.contains("--dir"), "{message}");
    }
}
