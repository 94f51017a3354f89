//! `cloch init`: a new project folder.

use std::path::PathBuf;

use clap::Args;

use super::print;
use crate::error::CommandError;

const CONFIG: &str = include_str!("init/config.toml");
const CLOCH: &str = include_str!("init/cloch.toml");

/// Makes a project folder that `cloch start --project DIR` serves at once.
#[derive(Args)]
pub struct Init {
    /// The folder; made if absent. Where it holds a folder supabase/, the files go in there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Init {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let supabase = self.folder.join("supabase");
        let project = if supabase.is_dir() { supabase } else { self.folder.clone() };
        let config = project.join("config.toml");
        if config.exists() {
            return Err(format!("{} holds a project already", project.display()).into());
        }
        std::fs::create_dir_all(project.join("migrations"))?;
        let folder = std::path::absolute(&self.folder)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::write(&config, CONFIG.replace("{name}", &name.replace(['"', '\\'], "")))?;
        std::fs::write(project.join("cloch.toml"), CLOCH)?;
        let seed = project.join("seed.sql");
        if !seed.exists() {
            std::fs::write(seed, "-- Rows for a new database. Runs once, after the migrations.\n")?;
        }
        print::line(format!(
            "Made {}. Start it with: cloch start --project {}",
            project.display(),
            self.folder.display()
        ))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_folder_that_holds_supabase_gets_the_files_there_and_keeps_its_seed() {
        let app = tempfile::tempdir().unwrap();
        let project = app.path().join("supabase");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(project.join("seed.sql"), "insert into boards values (1);").unwrap();
        let init = || Init { folder: app.path().to_owned() }.run();

        init().unwrap();
        assert!(project.join("config.toml").is_file() && project.join("migrations").is_dir());
        assert!(!app.path().join("config.toml").exists());
        assert_eq!(std::fs::read_to_string(project.join("seed.sql")).unwrap(), "insert into boards values (1);");
        assert!(init().unwrap_err().to_string().contains("holds a project already"));
    }
}
