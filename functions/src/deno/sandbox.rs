//! The kernel's fence around a worker, behind Deno's permissions: which files it may open (Landlock), that it listens on no port,
//! that it has no socket of IPv6 (seccomp), and that it is another account without capabilities where this program runs as root. It holds for
//! native code in the process as well.
//!
//! What a kernel does not have is left out, and the start says so: Deno's permissions are there in any case.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    path_beneath_rules,
};
use rustix::net::AddressFamily;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use serde::{Deserialize, Serialize};

use super::account::become_account;

/// What every program reads: libraries, certificates, names of hosts, time zones, and what the kernel says of the process.
const SYSTEM: [&str; 22] = [
    "/usr",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/localtime",
    "/etc/timezone",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
];
/// The newest rules that are asked for; an older kernel has fewer.
const LANDLOCK: ABI = ABI::V3;
/// "Address family not supported", as a kernel without IPv6 answers.
const EAFNOSUPPORT: u32 = 97;

/// What the kernel lets one worker do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Fence {
    /// Files and folders that it may read.
    pub(crate) readable: Vec<PathBuf>,
    /// Files and folders that it may read and write.
    pub(crate) writable: Vec<PathBuf>,
    /// The folder in which it makes its socket.
    pub(crate) sockets: PathBuf,
    /// Whether it may use IPv6: Deno cannot close networks of it.
    pub(crate) ipv6: bool,
    /// User and group that it becomes, where this program runs as root.
    #[serde(default)]
    pub(crate) account: Option<u32>,
}

/// What this kernel lacks of the fence.
pub(super) fn missing() -> Option<&'static str> {
    let hard = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let has_files = hard().handle_access(AccessFs::from_all(ABI::V1)).and_then(|rules| rules.create()).is_ok();
    let has_ports = hard().handle_access(AccessNet::BindTcp).and_then(|rules| rules.create()).is_ok();
    match (has_files, has_ports) {
        (true, true) => None,
        (true, false) => Some("Linux before 6.7: only Deno's permissions keep functions from listening on ports"),
        (false, _) => Some(
            "this kernel has no Landlock: only Deno's permissions keep functions from files and from listening on ports",
        ),
    }
}

impl Fence {
    /// Puts this process behind the fence. No new privileges must have been ruled out before.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.drop_rights()?;
        self.restrict_files().map_err(io::Error::other)?;
        if !self.ipv6 {
            refuse_ipv6().map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Root's rights are given up. Reading files of others stays, for a project that another user has, below folders that are closed to all.
    fn drop_rights(&self) -> io::Result<()> {
        let kept = CapabilitySet::DAC_READ_SEARCH;
        let held = capabilities(None)?.permitted;
        if held.is_empty() {
            return Ok(());
        }
        for capability in CapabilitySet::all().difference(kept).iter() {
            // The kernel knows fewer, or does not let this program: then it cannot give them either.
            let _ = remove_capability_from_bounding_set(capability);
        }
        if let Some(id) = self.account {
            become_account(id)?;
        }
        let left = held & kept;
        // Another account keeps it beyond the start of Deno only as an ambient one, which has to be inheritable.
        let inheritable = if self.account.is_some() { left } else { CapabilitySet::empty() };
        set_capabilities(None, CapabilitySets { effective: left, permitted: left, inheritable })?;
        if self.account.is_some() && !left.is_empty() {
            configure_capability_in_ambient_set(kept, true)?;
        }
        Ok(())
    }

    fn restrict_files(&self) -> Result<(), landlock::RulesetError> {
        let (all, read) = (AccessFs::from_all(LANDLOCK), AccessFs::from_read(LANDLOCK));
        Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .handle_access(AccessNet::BindTcp)?
            .create()?
            .add_rules(path_beneath_rules(SYSTEM, read))?
            .add_rules(path_beneath_rules(&self.readable, read))?
            .add_rules(path_beneath_rules(["/dev/null"], read | AccessFs::WriteFile))?
            .add_rules(path_beneath_rules(&self.writable, all))?
            .add_rules(path_beneath_rules([&self.sockets], AccessFs::MakeSock | AccessFs::RemoveFile))?
            .restrict_self()?;
        Ok(())
    }
}

fn refuse_ipv6() -> Result<(), seccompiler::Error> {
    let Ok(architecture) = std::env::consts::ARCH.try_into() else { return Ok(()) };
    let family = u64::from(AddressFamily::INET6.as_raw());
    let is_ipv6 = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family)?;
    let rules = BTreeMap::from([(SOCKET_CALL, vec![SeccompRule::new(vec![is_ipv6])?])]);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(EAFNOSUPPORT), architecture)?;
    seccompiler::apply_filter(&BpfProgram::try_from(filter)?)
}

/// The number of the system call `socket`.
const SOCKET_CALL: i64 = if cfg!(target_arch = "x86_64") { 41 } else { 198 };
