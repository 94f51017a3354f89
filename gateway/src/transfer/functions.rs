//! Copies the code of functions from a folder, such as `supabase/functions` in the source project's repository.

use std::path::Path;

use crate::error::CommandError;

const MAX_DEPTH: usize = 32;

/// Copies functions from the folder `from` into the project's folder, without `.env` files. Functions that the project already has are not
/// replaced. Returns the names of the copied functions, and the names of the functions that were not replaced.
///
/// # Errors
/// When a file cannot be copied.
pub(super) fn copy(from: &Path, project: &Path) -> Result<(Vec<String>, Vec<String>), CommandError> {
    let (mut copied, mut present) = (Vec::new(), Vec::new());
    let entries = std::fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".env") {
            continue;
        }
        let to = project.join("functions").join(&name);
        if to.exists() {
            present.push(name);
            continue;
        }
        // The function is copied to a temporary folder, which is then renamed. If the copying is interrupted, a repeated command begins it
        // again.
        let draft = project.join("functions").join(format!(".{name}.partial"));
        let _ = std::fs::remove_dir_all(&draft);
        copy_tree(&entry.path(), &draft, 0)?;
        std::fs::rename(&draft, &to)?;
        copied.push(name);
    }
    copied.sort();
    present.sort();
    Ok((copied, present))
}

fn copy_tree(from: &Path, to: &Path, depth: usize) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| CommandError::from(format!("{}: {error}", from.display()));
    let kind = std::fs::symlink_metadata(from).map_err(failed)?;
    if kind.is_symlink() {
        return Err(format!("{} is a link: copy what it leads to", from.display()).into());
    }
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    if kind.is_file() {
        std::fs::copy(from, to).map_err(failed)?;
        return Ok(());
    }
    if depth >= MAX_DEPTH {
        return Err(format!("{}: folders are nested too deeply", from.display()).into());
    }
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_string_lossy().starts_with(".env") {
            copy_tree(&entry.path(), &to.join(entry.file_name()), depth + 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_variables_stay_and_own_functions_are_kept() {
        let (from, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (path, text) in [("hello/index.ts", "new"), ("hello/.env", "K=1"), ("own/index.ts", "new"), (".env", "K=1")]
        {
            std::fs::create_dir_all(from.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(from.path().join(path), text).unwrap();
        }
        let own = project.path().join("functions/own");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("index.ts"), "mine").unwrap();
        let (copied, present) = copy(from.path(), project.path()).unwrap();
        assert_eq!((copied, present), (vec!["hello".to_owned()], vec!["own".to_owned()]));
        let functions = project.path().join("functions");
        assert_eq!(std::fs::read_to_string(functions.join("hello/index.ts")).unwrap(), "new");
        assert_eq!(std::fs::read_to_string(functions.join("own/index.ts")).unwrap(), "mine");
        assert!(!functions.join("hello/.env").exists() && !functions.join(".env").exists());

        std::os::unix::fs::symlink("/etc", from.path().join("evil")).unwrap();
        assert!(copy(from.path(), project.path()).unwrap_err().to_string().contains("is a link"));
    }
}
