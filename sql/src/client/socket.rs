//! Byte stream to PostgreSQL: a Unix socket, TCP, or TLS over TCP.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::unix_socket::UnixSocket;
use super::{ClientError, keepalive, tls};
use crate::login::{Address, Login, SslMode};

#[derive(Debug)]
pub(super) enum Socket {
    Unix(UnixSocket),
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Socket {
    /// Connects to the server's address, with TLS according to the login's SSL mode.
    pub(super) async fn open(login: &Login) -> Result<Self, ClientError> {
        match login.place() {
            (Address::Socket(folder), port) => {
                Ok(Self::Unix(UnixSocket::connect(&folder.join(format!(".s.PGSQL.{port}"))).await?))
            }
            (Address::Host(host), port) => connect_tcp(login, host, port).await,
        }
    }
}

async fn connect_tcp(login: &Login, host: &str, port: u16) -> Result<Socket, ClientError> {
    let mut stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    keepalive::enable(&stream)?;
    if login.ssl_mode == SslMode::Disable {
        return Ok(Socket::Tcp(stream));
    }
    let mut request = bytes::BytesMut::new();
    frontend::ssl_request(&mut request);
    stream.write_all(&request).await?;
    let agreed = stream.read_u8().await? == b'S';
    if !agreed && login.ssl_mode == SslMode::Prefer {
        return Ok(Socket::Tcp(stream));
    }
    if !agreed {
        return Err(ClientError::Connect("the server does not offer TLS".to_owned()));
    }
    let connector = TlsConnector::from(tls::config(login.ssl_mode, login.ssl_root_cert.as_deref())?);
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    Ok(Socket::Tls(Box::new(connector.connect(name, stream).await?)))
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}
