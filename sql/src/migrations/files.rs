//! Reads the files of a migrations folder.

use std::path::Path;

use super::MigrationError;

/// SQL file of the project's migrations folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// Version of the migration: the digits before the first underscore of the file name; compared as text.
    pub version: String,
    /// Name of the migration: the part of the file name after the first underscore, without `.sql`.
    pub name: String,
    /// File name of the migration, as shown to the operator in messages.
    pub file: String,
    /// SQL text of the migration.
    pub text: String,
}

/// Returns the migrations of a folder in the order of their names. Files not named `<digits>_<name>.sql` are skipped with a warning. A
/// missing folder contains no migrations.
///
/// # Errors
/// Fails if a file cannot be read or two files have the same version.
pub fn read_folder(folder: &Path) -> Result<Vec<Migration>, MigrationError> {
    let failed = |path: &Path| {
        let file = path.display().to_string();
        move |source| MigrationError::File { file, source }
    };
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut migrations = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() || !file.ends_with(".sql") {
            continue;
        }
        let Some((version, name)) = parse_name(&file) else {
            tracing::warn!("database: skipped migration file migrations/{file}: its name is not <digits>_<name>.sql");
            continue;
        };
        let text = super::text::read(&path).map_err(failed(&path))?;
        migrations.push(Migration { version, name, file: format!("migrations/{file}"), text });
    }
    migrations.sort_by(|a, b| a.file.cmp(&b.file));
    refuse_twins(&migrations)?;
    // The first versions of the Supabase CLI wrote an init file, which later versions of the CLI skip.
    if migrations.first().is_some_and(|first| {
        first.name == "init" && first.version.len() == 14 && first.version.as_str() < "20211209000000"
    }) {
        migrations.remove(0);
    }
    Ok(migrations)
}

/// Refuses two migrations with the same version: the migration history is keyed by version, so the second migration would count as applied.
fn refuse_twins(migrations: &[Migration]) -> Result<(), MigrationError> {
    let twins = migrations.windows(2).find_map(|pair| match pair {
        [first, second] if first.version == second.version => Some((first, second)),
        _ => None,
    });
    match twins {
        Some((first, second)) => Err(MigrationError::History(format!(
            "{} and {} have the same version: give one of them another",
            first.file, second.file
        ))),
        None => Ok(()),
    }
}

fn parse_name(file: &str) -> Option<(String, String)> {
    let (version, name) = file.strip_suffix(".sql")?.split_once('_')?;
    let digits = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| (version.to_owned(), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::parse_name;

    #[test]
    fn names() {
        assert_eq!(parse_name("20240101000000_a_b.sql"), Some(("20240101000000".into(), "a_b".into())));
        assert_eq!(parse_name("1_.sql"), Some(("1".into(), String::new())));
        for wrong in ["a_b.sql", "_b.sql", "12.sql", "12_a.txt"] {
            assert_eq!(parse_name(wrong), None, "{wrong}");
        }
    }
}
