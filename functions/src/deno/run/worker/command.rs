//! Command line of a Deno worker, which contains the permissions of its function.
//!
//! A Deno worker may read its own folder, shared folders, static files and the package cache, write to its own temporary folder, and use the network
//! except for the addresses in [`DeniedNetworks`]. A worker may not start processes or call native code. The worker's environment contains only
//! variables of the function and no variables of Cloch.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cloch_core::Secret;
use cloch_core::outbound::{closed_ipv4_networks, own_ipv4_address};
use ipnet::{IpNet, Ipv4Net};
use serde_json::json;
use tokio::process::Command;

use super::WorkerFiles;
use crate::deno::account::WorkerAccount;
use crate::deno::resolve::Prepared;
use crate::deno::sandbox::Fence;

/// IPv6 addresses of this machine and of cloud metadata services. Deno can deny single IPv6 addresses, but not IPv6 networks. Therefore a
/// worker has no IPv6 (`Fence`) unless an IPv6 network is allowed (docs/security.md).
const DENIED_IPV6: [&str; 3] = ["[::1]", "[::]", "[fd00:ec2::254]"];

/// Addresses that functions must not reach. Deno checks the address to which a host name resolves.
#[derive(Clone, Debug)]
pub(crate) struct DeniedNetworks {
    networks: Vec<String>,
    /// Whether workers may use IPv6, because an IPv6 network is allowed.
    ipv6: bool,
}

impl DeniedNetworks {
    /// Denies all addresses that are not part of the public internet, and the public address of this machine. Does not deny the networks in
    /// `allowed`.
    pub(crate) fn without(allowed: &[IpNet]) -> Self {
        let allowed_v4: Vec<Ipv4Net> =
            allowed.iter().filter_map(|net| if let IpNet::V4(net) = net { Some(*net) } else { None }).collect();
        let own = own_ipv4_address().map(Ipv4Net::from);
        let denied = closed_ipv4_networks().chain(own).flat_map(|net| subtract(net, &allowed_v4));
        let is_allowed = |text: &&str| {
            let address = text.trim_matches(['[', ']']).parse();
            address.is_ok_and(|address: std::net::IpAddr| allowed.iter().any(|net| net.contains(&address)))
        };
        let v6 = DENIED_IPV6.iter().copied().filter(|text| !is_allowed(text)).map(str::to_owned);
        let ipv6 = allowed.iter().any(|net| matches!(net, IpNet::V6(_)));
        Self { networks: denied.map(|net| net.to_string()).chain(v6).collect(), ipv6 }
    }
}

/// Returns the parts of `net` that are not in `without`.
fn subtract(net: Ipv4Net, without: &[Ipv4Net]) -> Vec<Ipv4Net> {
    if without.iter().any(|other| other.contains(&net)) {
        return Vec::new();
    }
    match net.subnets(net.prefix_len().saturating_add(1)) {
        Ok(halves) if without.iter().any(|other| net.contains(other)) => {
            halves.flat_map(|half| subtract(half, without)).collect()
        }
        _ => vec![net],
    }
}

#[derive(Clone, Debug)]
pub(crate) struct WorkerCommand {
    /// Command line that launches a worker: the Cloch program with arguments (`cloch_functions::become_worker`). If empty, Deno is started directly.
    pub(crate) launcher: Vec<OsString>,
    pub(crate) deno: PathBuf,
    pub(crate) cache: PathBuf,
    /// Deno's cache folder (`DENO_DIR`): the package cache, or a folder of the workers' account with links to the package cache.
    pub(crate) deno_folder: PathBuf,
    pub(crate) account: WorkerAccount,
    pub(crate) preload: PathBuf,
    pub(crate) prepared: Prepared,
    /// Folders and files that the function may read.
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) environment: BTreeMap<String, Secret>,
    pub(crate) denied: DeniedNetworks,
    pub(crate) heap_megabytes: u64,
    /// Path of the Unix socket to Cloch's server.
    pub(crate) server_socket: PathBuf,
    /// URLs of Cloch's server. Requests to these URLs are redirected to `server_socket`.
    pub(crate) server_origins: Vec<String>,
    /// Port of the database on this machine, and path of the Unix socket to the database; `None` for a database on another machine.
    pub(crate) database: Option<(u16, PathBuf)>,
    /// Path of the Unix socket to [`crate::deno::AiServer`], and the server's name for the model `gte-small`; `None` if `[ai]` is not configured.
    pub(crate) ai: Option<(PathBuf, String)>,
    /// Whether the function's code may listen with Node's `http` module. Loading the support for Node servers takes 10 ms.
    pub(crate) uses_a_server_of_node: bool,
}

impl WorkerCommand {
    pub(super) fn build(&self, files: &WorkerFiles, execution_id: &str, token: &str) -> Command {
        let mut words = self.launcher.iter();
        let mut command = match words.next() {
            Some(program) => {
                let mut command = Command::new(program);
                command.args(words).arg(json!(self.fence(files)).to_string()).arg(&self.deno);
                command
            }
            None => Command::new(&self.deno),
        };
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value.expose())));
        let database = self.database.as_ref().map(|(port, socket)| {
            json!({ "port": port, "socket": socket, "node": uses_a_driver_of_node(&self.prepared.lock) })
        });
        let init = json!({
            "token": token, "socket": files.socket, "server": self.server_socket, "origins": self.server_origins, "database": database,
            "node_server": self.uses_a_server_of_node,
            "ai": self.ai.as_ref().map(|(socket, model)| json!({ "socket": socket, "embedding_model": model }))
        });
        command
            .env("CLOCH_WORKER", init.to_string())
            .env("SB_EXECUTION_ID", execution_id)
            .env("TMPDIR", &files.temporary)
            .env("DENO_DIR", &self.deno_folder)
            .env("DENO_AUTO_SERVE", "1")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .env("DENO_NO_PACKAGE_JSON", "1")
            .env("NO_COLOR", "1")
            .args(self.arguments(files))
            .current_dir(&files.temporary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Returns the kernel restrictions of a worker: access to the files in Deno's permissions, and to the files that Deno itself needs.
    fn fence(&self, files: &WorkerFiles) -> Fence {
        let made = self.prepared.config.parent().unwrap_or(&self.cache);
        let own = [&self.deno, &self.preload, &self.prepared.source.entrypoint].map(PathBuf::clone);
        let modules = self.preload.with_file_name("modules");
        Fence {
            readable: self
                .readable
                .iter()
                .cloned()
                .chain(own)
                .chain([made.to_owned(), modules, self.cache.clone()])
                .collect(),
            writable: vec![self.deno_folder.clone(), files.temporary.clone()],
            sockets: files.folder.clone(),
            ipv6: self.denied.ipv6,
            account: self.account.id(),
        }
    }

    fn arguments(&self, files: &WorkerFiles) -> Vec<OsString> {
        let packages = [&self.cache, &self.deno_folder].map(|folder| folder.join("npm"));
        let database = self.database.as_ref().map(|(_, socket)| socket.as_path());
        let ai = self.ai.as_ref().map(|(socket, _)| socket.as_path());
        let sockets: Vec<&Path> =
            [files.socket.as_path(), &self.server_socket].into_iter().chain(database).chain(ai).collect();
        let readable = self
            .readable
            .iter()
            .map(PathBuf::as_path)
            .chain(sockets.iter().copied())
            .chain(packages.iter().map(PathBuf::as_path))
            .chain([files.temporary.as_path()]);
        let writable = sockets.iter().copied().chain([files.temporary.as_path()]);
        let mut arguments: Vec<OsString> = [
            "run",
            "--quiet",
            "--no-prompt",
            "--cached-only",
            "--frozen",
            "--allow-env",
            "--allow-sys",
            "--allow-net",
            "--deny-run",
            "--deny-ffi",
        ]
        .map(OsString::from)
        .to_vec();
        arguments.push(format!("--v8-flags=--max-old-space-size={}", self.heap_megabytes).into());
        arguments.push(format!("--deny-net={}", self.denied.networks.join(",")).into());
        arguments.push(flag("--allow-read=", readable));
        arguments.push(flag("--allow-write=", writable));
        for (name, path) in
            [("--config", &self.prepared.config), ("--lock", &self.prepared.lock), ("--preload", &self.preload)]
        {
            arguments.extend([name.into(), path.into()]);
        }
        arguments.push(self.prepared.source.entrypoint.clone().into());
        arguments
    }
}

/// Whether a lock file contains a Node driver for PostgreSQL. Loading the support for Node drivers takes 25 ms.
fn uses_a_driver_of_node(lock: &Path) -> bool {
    let packages = std::fs::read_to_string(lock).unwrap_or_default();
    ["\"postgres@", "\"pg@", "\"pg-protocol@"].iter().any(|package| packages.contains(package))
}

/// Returns a command line flag with a list of paths. Deno requires commas in a path to be doubled.
fn flag<'a>(name: &str, paths: impl Iterator<Item = &'a Path>) -> OsString {
    let paths: Vec<String> = paths.map(|path| path.to_string_lossy().replace(',', ",,")).collect();
    format!("{name}{}", paths.join(",")).into()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn denies(allowed: &[&str], address: [u8; 4]) -> bool {
        let allowed: Vec<IpNet> = allowed.iter().map(|net| net.parse().unwrap()).collect();
        let address = Ipv4Addr::from(address);
        DeniedNetworks::without(&allowed)
            .networks
            .iter()
            .any(|net| net.parse::<Ipv4Net>().is_ok_and(|net| net.contains(&address)))
    }

    #[test]
    fn what_is_no_address_of_the_internet_is_denied() {
        for address in [
            [127, 0, 0, 1],
            [10, 1, 2, 3],
            [169, 254, 169, 254],
            [192, 168, 1, 1],
            [0, 0, 0, 0],
            [172, 31, 0, 1],
            [255, 255, 255, 255],
        ] {
            assert!(denies(&[], address), "{address:?}");
        }
        assert!(!denies(&[], [93, 184, 215, 14]) && !denies(&[], [172, 32, 0, 1]));
        let DeniedNetworks { networks: v6, ipv6 } = DeniedNetworks::without(&[]);
        assert!(!ipv6 && DeniedNetworks::without(&["2000::/3".parse().unwrap()]).ipv6);
        assert!(DENIED_IPV6.iter().all(|address| v6.iter().any(|denied| denied == address)));
    }

    #[test]
    fn an_allowed_network_opens_nothing_else() {
        assert!(!denies(&["10.1.0.0/16"], [10, 1, 2, 3]) && denies(&["10.1.0.0/16"], [10, 2, 0, 1]));
        assert!(!denies(&["127.0.0.1/32"], [127, 0, 0, 1]) && denies(&["127.0.0.1/32"], [127, 0, 0, 2]));
        assert!(!denies(&["0.0.0.0/0"], [10, 1, 2, 3]));
    }
}
