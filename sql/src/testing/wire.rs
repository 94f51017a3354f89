//! A network for tests that can break without a word.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::fail;
use crate::login::{Address, Login, SslMode};

/// Stands between a login and its server, and passes bytes on both ways until it swallows them. Each end still has a connection that
/// acknowledges what it is given: the worst that a network does.
#[derive(Debug)]
pub struct Wire {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    swallows: AtomicBool,
    /// How often it was cut: what is older than the last cut is lost.
    cuts: AtomicUsize,
    /// The bytes of the server at which a connection ends, and whether they are passed on.
    last_word: OnceLock<(&'static [u8], bool)>,
}

impl Wire {
    /// A whole wire to the server of a login.
    ///
    /// # Panics
    /// When there is no port to be had, or the server is not reached over TCP.
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

    /// The login, over this wire.
    #[must_use]
    pub fn login(&self, login: &Login) -> Login {
        let address = Address::Host("127.0.0.1".to_owned());
        Login { address, port: self.port, ssl_mode: SslMode::Disable, ..login.clone() }
    }

    /// From now on everything is swallowed. Connections that exist stay lost when the wire is fixed.
    pub fn cut(&self) {
        self.state.cuts.fetch_add(1, Ordering::SeqCst);
        self.state.swallows.store(true, Ordering::SeqCst);
    }

    /// Ends each connection once the server has sent these bytes; what arrives in one read with them is passed on.
    pub fn end_after(&self, word: &'static [u8]) {
        let _ = self.state.last_word.set((word, true));
    }

    /// Ends each connection where the server sends these bytes; all before them is passed on.
    pub fn end_before(&self, word: &'static [u8]) {
        let _ = self.state.last_word.set((word, false));
    }

    /// From now on what is new is passed on.
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
            // Not even the end is told.
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
