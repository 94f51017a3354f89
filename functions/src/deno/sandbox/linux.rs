//! The restrictions on Linux: Landlock for files and ports, seccomp for IPv6 sockets, an account without capabilities, and the signal that ends a
//! worker whose supervisor has died.

use std::collections::BTreeMap;
use std::io;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    path_beneath_rules,
};
use rustix::net::AddressFamily;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, Gid, Uid, capabilities, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::Fence;

/// Files that every program may read: libraries, certificates, host names, time zones, and the kernel's information about the process.
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
/// Landlock version that a worker requests from the kernel. An older kernel supports fewer access rights.
const LANDLOCK: ABI = ABI::V3;
/// errno "Address family not supported", which a kernel without IPv6 returns for IPv6 sockets.
const EAFNOSUPPORT: u32 = 97;

/// Returns a description of the restrictions that the running kernel does not support, or `None` if the kernel supports all restrictions.
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
    pub(super) fn apply(&self) -> io::Result<()> {
        rustix::thread::set_no_new_privs(true)?;
        self.drop_rights()?;
        self.restrict_files().map_err(io::Error::other)?;
        if !self.ipv6 {
            refuse_ipv6().map_err(io::Error::other)?;
        }
        // Set the death signal after the other restrictions, because dropping capabilities may reset the signal.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        Ok(())
    }

    /// Drops all capabilities except one: the capability to read files of other accounts. A function needs it if the project is in another
    /// user's private folder.
    fn drop_rights(&self) -> io::Result<()> {
        let kept = CapabilitySet::DAC_READ_SEARCH;
        let held = capabilities(None)?.permitted;
        if held.is_empty() {
            return Ok(());
        }
        for capability in CapabilitySet::all().difference(kept).iter() {
            // The call fails for capabilities that the kernel does not have or that Cloch may not drop. The failure is ignored, because the
            // worker cannot gain these capabilities.
            let _ = remove_capability_from_bounding_set(capability);
        }
        if let Some(id) = self.account {
            become_account(id)?;
        }
        let left = held & kept;
        // After the change of account, the capability must be an ambient capability to survive the start of Deno. An ambient capability
        // must be inheritable.
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

/// Switches this process to the account `id`. The process keeps the capabilities of root; the caller of this function must drop them.
fn become_account(id: u32) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    // Keep the capabilities when the user changes. Deno uses `access(2)` to check whether a package exists, and `access(2)` considers
    // capabilities.
    let bits = CapabilitiesSecureBits::NO_SETUID_FIXUP | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED;
    rustix::thread::set_capabilities_secure_bits(bits)?;
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(group, group, group)?;
    rustix::thread::set_thread_res_uid(user, user, user)?;
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

/// Number of the system call `socket`.
const SOCKET_CALL: i64 = if cfg!(target_arch = "x86_64") { 41 } else { 198 };
