//! `cloch completions`: prints the completions of a shell. `cloch man` (hidden) writes the manual pages. The packages contain both.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::{Command, print};
use crate::error::CommandError;

/// Prints a script that completes cloch's commands and options in a shell.
#[derive(Args)]
#[command(after_help = "Bash: cloch completions bash > ~/.local/share/bash-completion/completions/cloch\n\
                  Zsh:  cloch completions zsh > a folder of $fpath, as _cloch\n\
                  Fish: cloch completions fish > ~/.config/fish/completions/cloch.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut whole(), "cloch", &mut script);
        Ok(print::line(String::from_utf8(script)?.trim_end())?)
    }
}

/// Writes the manual pages, one for each command.
#[derive(Args)]
pub struct Man {
    /// Folder of the pages
    folder: PathBuf,
}

impl Man {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        std::fs::create_dir_all(&self.folder)?;
        Ok(clap_mangen::generate_to(whole(), &self.folder)?)
    }
}

/// Returns the definition of all commands and options of the program `cloch`.
fn whole() -> clap::Command {
    let program = clap::Command::new("cloch")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A Supabase-compatible backend in one program");
    Command::augment_subcommands(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shell_completes_commands_and_options() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut whole(), "cloch", &mut script);
            let script = String::from_utf8(script).unwrap();
            for word in ["start", "restore", "project", "cli-keys"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }

    #[test]
    fn each_command_has_a_manual_page() {
        let folder = tempfile::tempdir().unwrap();
        Man { folder: folder.path().join("man") }.run().unwrap();
        let page = |name: &str| std::fs::read_to_string(folder.path().join("man").join(name)).unwrap();
        assert!(page("cloch.1").contains("start") && page("cloch-start.1").contains("data"));
        assert!(page("cloch-backup-now.1").contains(".TH"));
        assert!(!folder.path().join("man/cloch-man.1").exists(), "hidden");
    }
}
