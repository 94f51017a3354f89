//! `cloch doctor`: finds problems of the installation and suggests solutions.

use std::process::ExitCode;

use clap::Args;

use super::print;
use crate::config::Flags;
use crate::doctor::{self, Finding};
use crate::error::CommandError;

/// Checks configuration, folders, permissions, ports, clock, disk, PostgreSQL, mail, file storage, keys and proxy settings.
#[derive(Args)]
pub struct Doctor {
    #[command(flatten)]
    flags: Flags,
    /// Print a JSON list: `level`, `subject`, `seen`, `remedy`
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Prints the findings; fails if a finding is a problem. Warnings do not count as problems.
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let findings = doctor::examine(&self.flags).await;
        match self.json {
            true => print::line(serde_json::to_string_pretty(&findings)?)?,
            false => print::line(table(&findings))?,
        }
        Ok(doctor::exit_code(&findings))
    }
}

fn table(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.subject.len()).max().unwrap_or(0);
    let indent = " ".repeat(width + 11);
    let lines = findings.iter().map(|finding| {
        let Finding { level, subject, seen, remedy } = finding;
        let seen = seen.replace('\n', &format!("\n{indent}"));
        let remedy = remedy.as_ref().map_or_else(String::new, |remedy| format!("\n{indent}-> {remedy}"));
        format!("{:<8} {subject:<width$}  {seen}{remedy}", level.as_str())
    });
    lines.collect::<Vec<_>>().join("\n")
}
