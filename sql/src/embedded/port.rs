//! Chooses the port of the embedded server if the operator has not set it: the preferred port, or the next free port above it.

use std::net::Ipv4Addr;

use tokio::net::TcpSocket;

/// Maximum number of ports that a start tries, beginning with the preferred port.
const MAX_TRIED_PORTS: u16 = 100;

/// Returns the ports that a server may try, in this order, beginning with `preferred`. The port `reserved` is omitted.
pub(super) fn candidates(preferred: u16, reserved: u16) -> impl Iterator<Item = u16> {
    (preferred..=preferred.saturating_add(MAX_TRIED_PORTS - 1)).filter(move |port| *port != reserved)
}

/// Whether the port on 127.0.0.1 seems to be free. The check avoids most starts that would fail. Its result may be outdated when PostgreSQL
/// binds the port, because the check does not reserve the port. The socket of the check does not listen, so another program that binds the
/// port at the same moment still gets the port.
pub(super) fn seems_free(port: u16) -> bool {
    let bound = TcpSocket::new_v4().and_then(|socket| {
        socket.set_reuseaddr(true)?;
        socket.bind((Ipv4Addr::LOCALHOST, port).into())
    });
    bound.is_ok()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_reserved_port_and_ports_above_the_last_are_no_candidates() {
        assert_eq!(candidates(54322, 54323).take(3).collect::<Vec<_>>(), [54322, 54324, 54325]);
        assert_eq!(candidates(65534, 1).collect::<Vec<_>>(), [65534, 65535]);
        assert_eq!(candidates(1000, 1).count(), usize::from(MAX_TRIED_PORTS));
    }

    #[test]
    fn a_check_sees_a_listener_and_disturbs_no_other_start() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(!seems_free(port));
        drop(listener);
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, port).into()).unwrap();
        assert!(seems_free(port));
    }
}
