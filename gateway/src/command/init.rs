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
    /// The folder; made if absent
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Init {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let config = self.folder.join("config.toml");
        if config.exists() {
            return Err(format!("{} holds a project already", self.folder.display()).into());
        }
        std::fs::create_dir_all(self.folder.join("migrations"))?;
        let folder = std::path::absolute(&self.folder)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::write(&config, CONFIG.replace("{name}", &name.replace(['"', '\\'], "")))?;
        std::fs::write(self.folder.join("cloch.toml"), CLOCH)?;
        std::fs::write(self.folder.join("seed.sql"), "-- Rows for a new database. Runs once, after the migrations.\n")?;
        print::line(format!("Made {0}. Start it with: cloch start --project {0}", self.folder.display()))?;
        Ok(())
    }
}
