//! The kernel's fence around a worker, behind Deno's permissions: which files it may open (Landlock), that it listens on no port,
//! that it has no socket of IPv6 (seccomp), and that it holds no capability where this program runs as root. It holds for native code in the process as well.
//!
//! What a kernel does not have is left out: Deno's permissions are there in any case.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    path_beneath_rules,
};
use rustix::net::AddressFamily;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set, set_capabilities,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use serde::{Deserialize, Serialize};

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
}

impl Fence {
    /// Puts this process behind the fence. No new privileges must have been ruled out before.
    pub(super) fn enter(&self) -> io::Result<()> {
        drop_capabilities()?;
        self.restrict_files().map_err(io::Error::other)?;
        if !self.ipv6 {
            refuse_ipv6().map_err(io::Error::other)?;
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

/// Root without capabilities: it owns root's files, and that is all. Reading files of others stays, for a project that another user has.
fn drop_capabilities() -> io::Result<()> {
    let kept = CapabilitySet::DAC_READ_SEARCH;
    let held = capabilities(None)?.permitted;
    if held.is_empty() {
        return Ok(());
    }
    for capability in CapabilitySet::all().difference(kept).iter() {
        // The kernel knows fewer, or does not let this program: then it cannot give them either.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let left = held & kept;
    set_capabilities(None, CapabilitySets { effective: left, permitted: left, inheritable: CapabilitySet::empty() })?;
    Ok(())
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
