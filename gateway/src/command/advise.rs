//! `cloch advise`: checks the database schema with the advisors' rules, for operators and for CI.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use cloch_sql::advisors::{Finding, Level, Report, advise};
use sqlx::{ConnectOptions, Connection};

use super::db::with_logins;
use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::logging;

/// Checks the live schema with the advisors' rules. Findings listed in `[[advisors.ignore]]` of cloch.toml are left out.
#[derive(Args)]
pub struct Advise {
    /// Print one JSON object: `lints`, `ignored`, `outdated`
    #[arg(long)]
    json: bool,
    /// Lowest level of a finding that makes the command fail
    #[arg(long, value_enum, default_value_t = FailOn::Warn)]
    fail_on: FailOn,
    /// Print the ignored findings too
    #[arg(long)]
    ignored: bool,
    #[command(flatten)]
    flags: Flags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Fail only on security problems.
    Error,
    /// Fail also on probable mistakes.
    Warn,
    /// Fail on all findings.
    Info,
    /// Never fail.
    Never,
}

impl FailOn {
    fn covers(self, level: Level) -> bool {
        match self {
            Self::Error => level == Level::Error,
            Self::Warn => level <= Level::Warn,
            Self::Info => true,
            Self::Never => false,
        }
    }
}

impl Advise {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let config = Config::load_of_running(&self.flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        let findings = with_logins(&config, async |logins| {
            let mut connection = logins.admin.sqlx_options().connect().await?;
            let findings = advise(&mut connection, &config.file.api.schemas).await?;
            connection.close().await?;
            Ok(findings)
        })
        .await?;
        let report = Report::new(findings, &config.cloch.advisors.ignore);
        if self.json {
            print::line(serde_json::to_string_pretty(&report)?)?;
        } else {
            print::line(text(&report, self.ignored).trim_end())?;
        }
        let fails = report.worst().is_some_and(|level| self.fail_on.covers(level));
        Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn text(report: &Report, with_ignored: bool) -> String {
    let mut text = String::new();
    for finding in &report.lints {
        add(&mut text, finding);
    }
    if with_ignored {
        for ignored in &report.ignored {
            let Finding { name, detail, .. } = &ignored.finding;
            let _ = writeln!(text, "ignored  {name}\n         {detail}\n         Reason: {}\n", ignored.reason);
        }
    }
    for ignore in &report.outdated {
        let on = if ignore.on.is_empty() { String::new() } else { format!(" on {}", ignore.on.join(", ")) };
        let _ = writeln!(text, "cloch.toml ignores {}{on}, which is there no longer.", ignore.lint);
    }
    let _ = writeln!(text, "{} to fix, {} ignored.", report.lints.len(), report.ignored.len());
    text
}

fn add(text: &mut String, finding: &Finding) {
    let level = match finding.level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "info",
    };
    let _ =
        writeln!(text, "{level:<8} {}\n         {}\n         {}", finding.name, finding.detail, finding.remediation);
    if let Some(fix) = &finding.fix {
        let _ = writeln!(text, "         {fix}");
    }
    text.push('\n');
}
