//! Network proxy for tests, which can simulate a silent network failure.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::fail;
use crate::login::{Address, Login, SslMode};

/// Network proxy between a login and its PostgreSQL server. The proxy forwards bytes in both directions until [`Wire::cut`] is called, and
/// then discards all bytes. This is the worst kind of network failure: the connections of client and server stay open, and data is still
/// acknowledged.
#[derive(Debug)]
pub struct Wire {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    swallows: AtomicBool,
    /// Number of calls of [`Wire::cut`]. Connections that were opened before the last call are lost.
    cuts: AtomicUsize,
    /// Bytes at which a connection ends when the server sends them. If the flag is true, the proxy forwards these bytes before it ends the
    /// connection.
    last_word: OnceLock<(&'static [u8], bool)>,
}

impl Wire {
    /// Creates a proxy that forwards data to the PostgreSQL server of a login.
    ///
    /// # Panics
    /// If no port is available, or the login's address is not a TCP address.
    pub async fn to(login: &Login) -> Self {
        let Address::Host(host) = &login.address else { fail("the server is not reached over TCP") };
        let server = (host.clone(), login.port);
        let listener = match TcpListener::bind("127.0.0.1:0").await {
            Ok(listener) => listener,
            Err(error) => fail(&error.to_string()),
        };
        let port = listener.local_addr().map_or(0, |address| address.port());
        let state = Arc::new(State::default());
        let wire = Self { port, state: Arc::clone(&state) };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connect(client, server.clone(), Arc::clone(&state)));
            }
        });
        wire
    }

    /// Returns the login with the address of this proxy.
    #[must_use]
    pub fn login(&self, login: &Login) -> Login {
        let address = Address::Host("127.0.0.1".to_owned());
        Login { address, port: self.port, ssl_mode: SslMode::Disable, ..login.clone() }
    }

    /// Discards all data from now on. Existing connections stay lost even after a call of [`Wire::fix`].
    pub fn cut(&self) {
        self.state.cuts.fetch_add(1, Ordering::SeqCst);
        self.state.swallows.store(true, Ordering::SeqCst);
    }

    /// Ends each connection after the server has sent the bytes `word`. The proxy still forwards all data that arrived together with these
    /// bytes.
    pub fn end_after(&self, word: &'static [u8]) {
        let _ = self.state.last_word.set((word, true));
    }

    /// Ends each connection when the server sends the bytes `word`. The proxy forwards all bytes before `word`, but not `word` itself.
    pub fn end_before(&self, word: &'static [u8]) {
        let _ = self.state.last_word.set((word, false));
    }

    /// Forwards data of new connections again, after [`Wire::cut`].
    pub fn fix(&self) {
        self.state.swallows.store(false, Ordering::SeqCst);
    }
}

async fn connect(client: TcpStream, server: (String, u16), state: Arc<State>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let cuts = state.cuts.load(Ordering::SeqCst);
    let is_lost = || state.swallows.load(Ordering::SeqCst) || state.cuts.load(Ordering::SeqCst) != cuts;
    let end = |bytes: &[u8]| {
        let &(word, is_passed) = state.last_word.get()?;
        let at = bytes.windows(word.len()).position(|part| part == word)?;
        Some(if is_passed { bytes.len() } else { at })
    };
    tokio::join!(pass(from_client, to_server, &is_lost, &|_| None), pass(from_server, to_client, &is_lost, &end));
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    is_lost: &(impl Fn() -> bool + Sync),
    end: &(impl Fn(&[u8]) -> Option<usize> + Sync),
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let count = from.read(&mut bytes).await.unwrap_or(0);
        match bytes.get(..count) {
            // After a cut, do not forward the end of the connection either.
            _ if is_lost() && count == 0 => std::future::pending().await,
            _ if is_lost() => {}
            Some(passed) if count > 0 => {
                let end = end(passed);
                let passed = passed.get(..end.unwrap_or(count)).unwrap_or_default();
                if to.write_all(passed).await.is_err() || end.is_some() {
                    return;
                }
            }
            _ => return,
        }
    }
}
