//! `cloch version`: shows the version and the source that the program was built from.

use clap::Args;

use super::print;
use crate::error::CommandError;

/// Shows the version, the source it was built from, the compiler and the platform.
#[derive(Args)]
pub struct Version {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Build information from build.rs; `unknown` if it was not available.
const FACTS: [(&str, &str); 6] = [
    ("version", env!("CARGO_PKG_VERSION")),
    ("commit", env!("CLOCH_BUILD_COMMIT")),
    ("source_date", env!("CLOCH_BUILD_DATE")),
    ("rustc", env!("CLOCH_BUILD_RUSTC")),
    ("target", env!("CLOCH_BUILD_TARGET")),
    ("profile", env!("CLOCH_BUILD_PROFILE")),
];

impl Version {
    pub(super) fn run(self) -> Result<(), CommandError> {
        if self.json {
            let facts: serde_json::Map<_, _> =
                FACTS.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
            print::line(serde_json::to_string_pretty(&facts)?)?;
            return Ok(());
        }
        print::line(FACTS.map(|(name, value)| format!("{name:>12}  {value}")).join("\n"))?;
        Ok(())
    }
}
