//! Logging in: the socket, TLS, the start-up message and the password.

use std::io;
use std::time::Duration;

use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::cancel::BackendKey;
use super::connection::Connection;
use super::keepalive::{self, server_settings};
use super::socket::Socket;
use super::unix::UnixSocket;
use super::{ClientError, DbError, tls};
use crate::database::{Address, Login, SslMode};

/// How long a login may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

impl Connection {
    /// Opens a connection as the login describes.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses the login.
    pub async fn open(login: &Login) -> Result<Self, ClientError> {
        match tokio::time::timeout(CONNECT_TIMEOUT, open(login)).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(ClientError::Lost(reason))) => Err(ClientError::Connect(reason)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ClientError::Connect("the login took too long".to_owned())),
        }
    }

    async fn log_in(&mut self, login: &Login) -> Result<(), ClientError> {
        // Dates in ISO form and nothing rounded: what JSON output and remembered plans rely on.
        let parameters = [
            ("user", login.user.as_str()),
            ("database", login.database.as_str()),
            ("application_name", "cloch"),
            ("client_encoding", "UTF8"),
            ("DateStyle", "ISO"),
            ("IntervalStyle", "postgres"),
            ("extra_float_digits", "1"),
        ];
        let parameters = parameters.into_iter().chain(server_settings(login).iter().copied());
        frontend::startup_message(parameters, self.outgoing.buffer())?;
        loop {
            match self.message().await? {
                Message::AuthenticationOk | Message::ParameterStatus(_) | Message::NoticeResponse(_) => {}
                Message::BackendKeyData(body) => {
                    self.key = BackendKey { process: body.process_id(), secret: body.secret_key() };
                }
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(login.password.expose().as_bytes(), self.outgoing.buffer())?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let password = login.password.expose().as_bytes();
                    let hash = md5_hash(login.user.as_bytes(), password, body.salt());
                    frontend::password_message(hash.as_bytes(), self.outgoing.buffer())?;
                }
                Message::AuthenticationSasl(body) => self.scram(login, &body).await?,
                Message::ReadyForQuery(_) => return Ok(()),
                Message::ErrorResponse(body) => return Err(refused(&DbError::read(body.fields())?)),
                _ => return Err(ClientError::Connect("the server asks for an unknown kind of login".to_owned())),
            }
        }
    }

    async fn scram(&mut self, login: &Login, offer: &AuthenticationSaslBody) -> Result<(), ClientError> {
        if !offer.mechanisms().any(|mechanism| Ok(mechanism == SCRAM_SHA_256))? {
            return Err(ClientError::Connect("the server offers no known way to check the password".to_owned()));
        }
        let mut scram = ScramSha256::new(login.password.expose().as_bytes(), ChannelBinding::unsupported());
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), self.outgoing.buffer())?;
        loop {
            match self.message().await? {
                Message::AuthenticationSaslContinue(body) => {
                    scram.update(body.data())?;
                    frontend::sasl_response(scram.message(), self.outgoing.buffer())?;
                }
                Message::AuthenticationSaslFinal(body) => return Ok(scram.finish(body.data())?),
                Message::ErrorResponse(body) => return Err(refused(&DbError::read(body.fields())?)),
                _ => return Err(ClientError::Connect("the server broke off the login".to_owned())),
            }
        }
    }
}

fn refused(error: &DbError) -> ClientError {
    ClientError::Connect(error.message.clone())
}

async fn open(login: &Login) -> Result<Connection, ClientError> {
    let mut connection = Connection::new(socket(login).await?, login.keep_statements);
    connection.log_in(login).await?;
    Ok(connection)
}

/// A byte stream to the server, with TLS as the login says.
pub(super) async fn socket(login: &Login) -> Result<Socket, ClientError> {
    match &login.address {
        Address::Socket(folder) => {
            Ok(Socket::Unix(UnixSocket::connect(&folder.join(format!(".s.PGSQL.{}", login.port))).await?))
        }
        Address::Host(host) => tcp(login, host).await,
    }
}

async fn tcp(login: &Login, host: &str) -> Result<Socket, ClientError> {
    let mut stream = TcpStream::connect((host, login.port)).await?;
    stream.set_nodelay(true)?;
    keepalive::watch(&stream)?;
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
