//! Restrictions of a Deno worker by the operating system, in addition to Deno's permissions. On Linux: files that the worker may open and TCP
//! ports on which it may listen (Landlock), IPv6 sockets (seccomp), and a separate account without capabilities if Cloch runs as root. The
//! restrictions also apply to native code in the worker's process.
//!
//! Restrictions that the system does not support are skipped, and a warning is logged at start. Deno's permissions apply in any case.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Fence {
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    /// Folder in which the worker creates its Unix socket.
    pub(crate) sockets: PathBuf,
    /// Whether the worker may use IPv6. Deno cannot deny IPv6 networks, so IPv6 is off by default.
    pub(crate) ipv6: bool,
    /// User and group id to which the worker switches if Cloch runs as root (only on Linux); `None` for no switch.
    #[serde(default)]
    pub(crate) account: Option<u32>,
}

impl Fence {
    /// Applies the restrictions to this process. From then on, the process cannot gain privileges, and on Linux it is killed when its parent dies.
    pub(in crate::deno) fn enter(&self) -> io::Result<()> {
        self.apply()
    }
}

/// Returns a description of the restrictions that the running system does not support, or `None` if it supports all restrictions.
pub(in crate::deno) fn missing() -> Option<&'static str> {
    system::missing()
}
