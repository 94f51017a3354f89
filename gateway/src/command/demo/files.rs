//! The files of the demo project, embedded in the program: examples/demo, and the migrations and the function of examples/notes, so that the
//! app of the tutorial works with the demo too.

use std::fs;
use std::io;
use std::path::Path;

/// Reads a file of a project in examples/ at build time.
macro_rules! embedded {
    ($project:literal: $($path:literal),* $(,)?) => {
        [$(($path, include_bytes!(concat!("../../../../examples/", $project, "/supabase/", $path)).as_slice())),*]
    };
}

const DEMO: [(&str, &[u8]); 14] = embedded!("demo":
    "config.toml",
    "cloch.toml",
    "seed.sql",
    "migrations/20260102000000_club.sql",
    "migrations/20260102000001_harbour.sql",
    "migrations/20260102000002_files.sql",
    "functions/tide-table/index.ts",
    "objects/boats/isle-of-bute.webp",
    "objects/boats/kittiwake.webp",
    "objects/boats/osprey.webp",
    "objects/boats/selkie.webp",
    "objects/documents/harbour-rules.md",
    "objects/documents/season.csv",
    "objects/pictures/8d1f6a52-3c47-4b0e-9a71-2f5c7d0e4b19/pier.webp",
);

const NOTES: [(&str, &[u8]); 4] = embedded!("notes":
    "migrations/20260101000000_notes.sql",
    "migrations/20260101000001_pictures.sql",
    "migrations/20260101000002_live.sql",
    "functions/export-notes/index.ts",
);

/// Writes the project into a new folder.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn write(project: &Path) -> io::Result<()> {
    for (path, content) in DEMO.iter().chain(&NOTES) {
        let file = project.join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, content)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use walkdir::WalkDir;

    use super::*;

    /// Maximum total size in bytes of the demo project's files, which are embedded in the program.
    const MAX_BYTES: usize = 200_000;

    #[test]
    fn every_file_of_the_example_is_embedded_and_small() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/demo/supabase");
        let files = WalkDir::new(&folder)
            .into_iter()
            .filter_entry(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
        let files = files.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        let found: BTreeSet<String> =
            files.map(|entry| entry.path().strip_prefix(&folder).unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(found, DEMO.iter().map(|(path, _)| (*path).to_owned()).collect());
        assert!(DEMO.iter().chain(&NOTES).map(|(_, content)| content.len()).sum::<usize>() < MAX_BYTES);
    }
}
