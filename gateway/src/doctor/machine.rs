//! Checks the machine: folders and their permissions, disk space, clock, ports.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::Access;
use tokio::net::TcpListener;

use super::Finding;
use crate::config::{Config, DatabaseChoice};
use crate::setup;

/// Subject of findings about the data folder.
pub(super) const DATA_FOLDER: &str = "data folder";
/// Free disk space in bytes below which the finding is a problem, because PostgreSQL stops on a full disk. Below [`LITTLE_BYTES`], the
/// finding is a warning.
const TOO_LITTLE_BYTES: u64 = 200 << 20;
const LITTLE_BYTES: u64 = 2 << 30;
/// Time by which a file may be newer than this machine's clock without a finding: a file on a file server has the time of the file server's
/// clock.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(60);
/// Permission bits for group and others.
const OTHERS: u32 = 0o077;
/// Timeout for a request to /health of the running server.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks whether this account may write to the data folder, and the permissions of files in the folder.
pub(super) fn folders(config: &Config) -> Vec<Finding> {
    let data = &config.data;
    let shown = data.display();
    let existing = nearest(data);
    if !existing.is_dir() {
        let seen = format!("{} is no folder", existing.display());
        return vec![Finding::problem(
            "data folder",
            seen,
            "name another with --data or CLOCH_DATA_DIR, or move that file",
        )];
    }
    if rustix::fs::access(&existing, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        // The remedy leaves out db/: if the server runs as root, the folder db/ belongs to PostgreSQL's account.
        let remedy =
            format!("run cloch as the account that owns it, or chown {shown} to that account, and not db/ in it");
        return vec![Finding::problem(DATA_FOLDER, format!("{} cannot be written", existing.display()), remedy)];
    }
    let mut findings = vec![match existing == *data {
        true => Finding::ok(DATA_FOLDER, shown.to_string()),
        false => Finding::ok(DATA_FOLDER, format!("{shown}, made at the first start")),
    }];
    for name in ["secrets.toml", "objects"] {
        let path = data.join(name);
        let Ok(metadata) = path.metadata() else { continue };
        if metadata.permissions().mode() & OTHERS != 0 {
            let seen = format!("other accounts of this machine can read {}", path.display());
            findings.push(Finding::problem("rights", seen, format!("chmod -R go= {}", path.display())));
        }
    }
    findings
}

/// Returns the folder `path`, or its nearest existing ancestor.
pub(super) fn nearest(path: &Path) -> PathBuf {
    path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/")).to_owned()
}

/// Checks the free space of the data folder's file system. Returns `None` if the free space cannot be read.
pub(super) fn disk(data: &Path) -> Option<Finding> {
    let space = rustix::fs::statvfs(nearest(data)).ok()?;
    Some(judge_space(space.f_bavail.saturating_mul(space.f_frsize)))
}

fn judge_space(free: u64) -> Finding {
    let seen = format!("{} MB are free", free >> 20);
    let remedy = "free some: PostgreSQL stops writing when nothing is left";
    match free {
        _ if free < TOO_LITTLE_BYTES => Finding::problem("disk", seen, remedy),
        _ if free < LITTLE_BYTES => Finding::warning("disk", seen, remedy),
        _ => Finding::ok("disk", seen),
    }
}

/// Checks this machine's clock, because the clock decides when tokens expire. If the clock is behind the modification time of one of Cloch's
/// files, the clock was set back or never set. Returns `None` if there are no files to compare.
pub(super) fn clock(config: &Config) -> Option<Finding> {
    let files = ["secrets.toml", "cloch.lock", "db/postmaster.pid", "db/pg_wal"].map(|name| config.data.join(name));
    let newest = files.iter().filter_map(|file| file.metadata().ok()?.modified().ok()).max();
    let program = std::env::current_exe().ok().and_then(|file| file.metadata().ok()?.modified().ok());
    let newest = newest.max(program)?;
    Some(judge_clock(SystemTime::now(), newest))
}

fn judge_clock(now: SystemTime, newest_file: SystemTime) -> Finding {
    match newest_file.duration_since(now) {
        Ok(ahead) if ahead > CLOCK_TOLERANCE => {
            let seen = format!("the clock is {} minutes behind a file that was written before", ahead.as_secs() / 60);
            let remedy = "set it (timedatectl set-ntp true): tokens would be refused as issued in the future";
            Finding::problem("clock", seen, remedy)
        }
        _ => Finding::ok("clock", "later than everything that was written"),
    }
}

/// Returns the addresses that a server with this configuration listens on, each with the subject of its finding and the setting that changes
/// the address.
fn addresses(config: &Config) -> Vec<(&'static str, SocketAddr, &'static str)> {
    let mut wanted = vec![("port", SocketAddr::new(config.host, config.port), "--port, or [api] port in config.toml")];
    if let Some(address) = setup::tls::address(config) {
        wanted.push(("HTTPS port", address, "[server] tls in cloch.toml"));
    }
    if let Some(address) = config.cloch.server.redirect_http {
        wanted.push(("HTTP port", address, "[server] redirect_http in cloch.toml"));
    }
    // Without `[db] port` in config.toml, the server chooses a free port for the database at its start.
    if let DatabaseChoice::Embedded { port, is_free_to_choose: false, .. } = &config.database {
        let address = SocketAddr::new(IpAddr::from([127, 0, 0, 1]), *port);
        wanted.push(("database port", address, "[db] port in config.toml"));
    }
    if let Some(address) = config.cloch.metrics.listen {
        wanted.push(("metrics port", address, "[metrics] listen in cloch.toml"));
    }
    wanted
}

/// Checks whether the ports that a stopped server needs are free.
pub(super) async fn ports(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (subject, address, setting) in addresses(config) {
        findings.push(match TcpListener::bind(address).await {
            Ok(_) => Finding::ok(subject, format!("{address} is free")),
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                let remedy = format!("stop it, or choose another port: {setting}");
                Finding::problem(subject, format!("{address} is taken by another program"), remedy)
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                let remedy = format!("give the service AmbientCapabilities=CAP_NET_BIND_SERVICE (docs/installing.md), or change {setting}");
                Finding::problem(subject, format!("this account may not listen at {address}"), remedy)
            }
            Err(error) => Finding::problem(subject, format!("{address}: {error}"), format!("change {setting}")),
        });
    }
    findings
}

/// Checks whether the running server is ready.
pub(super) async fn running(config: &Config, process: &str) -> Finding {
    let url = config.local_url("/health");
    let answer = async {
        let client = reqwest::Client::builder().no_proxy().timeout(HEALTH_TIMEOUT).build()?;
        client.get(&url).send().await
    };
    match answer.await {
        Ok(response) if response.status().is_success() => Finding::ok("server", format!("runs (process {process})")),
        Ok(response) => {
            let seen = format!("process {process} runs, and {url} answers {}", response.status());
            Finding::problem("server", seen, "its log says why it is not ready")
        }
        Err(_) => {
            let seen = format!("process {process} uses the data folder, and {url} does not answer");
            Finding::problem("server", seen, "it starts, or listens at another port than this configuration says")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::config::Flags;

    #[test]
    fn a_full_disk_is_a_problem_and_a_fuller_one_a_warning() {
        assert_eq!(judge_space(10 << 20).level, Level::Problem);
        assert_eq!(judge_space(1 << 30).level, Level::Warning);
        assert_eq!(judge_space(50 << 30).level, Level::Ok);
    }

    #[test]
    fn a_clock_that_was_set_back_is_a_problem() {
        let now = SystemTime::now();
        assert_eq!(judge_clock(now, now + Duration::from_secs(3600)).level, Level::Problem);
        assert_eq!(judge_clock(now, now + Duration::from_secs(5)).level, Level::Ok);
        assert_eq!(judge_clock(now, now).level, Level::Ok);
    }

    #[tokio::test]
    async fn a_taken_address_of_plain_http_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("config.toml", "project_id = \"test\"\n[api]\nexternal_url = \"https://club.example\"\n");
        write("cloch.toml", &format!("[server]\nredirect_http = \"{address}\"\n"));
        let flags = Flags { project: Some(folder.path().to_owned()), ..Flags::default() };
        let config = Config::read(&flags, |_| None).unwrap();
        let findings = ports(&config).await;
        let finding = findings.iter().find(|finding| finding.subject == "HTTP port").unwrap();
        assert_eq!(finding.level, Level::Problem, "{finding:?}");
        assert!(finding.remedy.as_ref().is_some_and(|remedy| remedy.contains("[server] redirect_http")), "{finding:?}");
        drop(taken);
        let findings = ports(&config).await;
        assert!(findings.iter().any(|finding| finding.subject == "HTTP port" && finding.level == Level::Ok));
    }
}
