//! Notifies systemd about start and stop (sd_notify(3)), so that `systemctl start` waits until requests are served.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

/// The service manager's socket (`NOTIFY_SOCKET`); `None` without a service manager.
#[derive(Clone, Debug)]
pub(super) struct ServiceManager(Option<PathBuf>);

impl ServiceManager {
    pub(super) fn at(socket: Option<PathBuf>) -> Self {
        Self(socket)
    }

    /// Reports to systemd that the server serves requests.
    pub(super) fn ready(&self) {
        self.tell("READY=1");
    }

    /// Reports to systemd that the server finishes running requests and then exits.
    pub(super) fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    fn tell(&self, state: &str) {
        let Some(path) = &self.0 else { return };
        if let Err(error) = send(path, state) {
            tracing::warn!(%error, socket = %path.display(), "systemd: sending the state {state} with sd_notify failed, systemd keeps the previous state of the service");
        }
    }
}

/// Sends a datagram to the service manager's socket. A socket name that begins with `@` is in Linux's abstract namespace.
fn send(path: &Path, state: &str) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    #[cfg(target_os = "linux")]
    if let Some(name) = path.to_str().and_then(|name| name.strip_prefix('@')) {
        use std::os::linux::net::SocketAddrExt;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
        return socket.send_to_addr(state.as_bytes(), &address).map(drop);
    }
    socket.send_to(state.as_bytes(), path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_one_datagram() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let manager = ServiceManager::at(Some(path));
        let mut buffer = [0; 64];
        for (tell, text) in
            [(ServiceManager::ready as fn(&ServiceManager), "READY=1"), (ServiceManager::stopping, "STOPPING=1")]
        {
            tell(&manager);
            let length = socket.recv(&mut buffer).unwrap();
            assert_eq!(std::str::from_utf8(&buffer[..length]).unwrap(), text);
        }
        ServiceManager::at(None).ready();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_abstract_socket_is_reached() {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net::SocketAddr;
        let name = format!("cloch-test-{}", std::process::id());
        let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        ServiceManager::at(Some(PathBuf::from(format!("@{name}")))).ready();
        let mut buffer = [0; 64];
        assert_eq!(socket.recv(&mut buffer).unwrap(), "READY=1".len());
    }
}
