//! Tests of symbolic links in the project's folder.

use std::os::unix::fs::symlink;

use super::Folder;

/// As with the Supabase CLI, a link to a missing path counts as a folder without migrations. The server does not read the folder if the
/// path is created later.
#[test]
fn migrations_that_lead_nowhere_are_none() {
    let elsewhere = tempfile::tempdir().unwrap();
    for target in [elsewhere.path().join("migrations"), "../missing".into()] {
        let folder = Folder::new("");
        symlink(&target, folder.0.join("migrations")).unwrap();
        let config = folder.read(&[]).unwrap();
        assert!(!config.has_migrations && !config.applies_migrations());
        let warning = config.warnings.join("\n");
        assert!(warning.contains("which does not exist: the project has no migrations"), "{warning}");
    }
    std::fs::create_dir(elsewhere.path().join("migrations")).unwrap();
    let folder = Folder::new("");
    symlink(elsewhere.path().join("migrations"), folder.0.join("migrations")).unwrap();
    let error = folder.read(&[]).unwrap_err();
    assert!(error.contains("CLOCH_ALLOW_PATHS"), "{error}");
    let allowed = folder.read(&[("CLOCH_ALLOW_PATHS", elsewhere.path().to_str().unwrap())]).unwrap();
    assert!(allowed.has_migrations && allowed.warnings.is_empty(), "{:?}", allowed.warnings);
}

#[test]
fn other_links_to_nowhere_outside_are_refused() {
    for link in ["functions", "seed.sql", "deep/migrations"] {
        let folder = Folder::new("");
        std::fs::create_dir(folder.0.join("deep")).unwrap();
        symlink("/nowhere/at/all", folder.0.join(link)).unwrap();
        let error = folder.read(&[]).unwrap_err();
        assert!(error.contains("CLOCH_ALLOW_PATHS"), "{link}: {error}");
    }
    let folder = Folder::new("");
    symlink("migrations", folder.0.join("migrations")).unwrap();
    let error = folder.read(&[]).unwrap_err();
    assert!(error.contains("leads over more than 40 links"), "{error}");
}
