//! Opens a PostgreSQL connection: start-up message and authentication.

use std::time::Duration;

use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;

use super::cancel::BackendKey;
use super::connection::Connection;
use super::socket::Socket;
use super::{ClientError, DbError};
use crate::login::Login;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

impl Connection {
    /// Opens a connection with the login's address and credentials.
    ///
    /// # Errors
    /// Fails if the server cannot be reached or refuses the login.
    pub async fn open(login: &Login) -> Result<Self, ClientError> {
        Self::open_with(login, &[]).await
    }

    /// Opens a connection with the login's address and credentials. `further` contains names and values of additional start-up parameters.
    pub(super) async fn open_with(login: &Login, further: &[(&str, &str)]) -> Result<Self, ClientError> {
        match tokio::time::timeout(CONNECT_TIMEOUT, open(login, further)).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(ClientError::Lost(reason))) => Err(ClientError::Connect(reason)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ClientError::Connect("the login took too long".to_owned())),
        }
    }

    async fn log_in(&mut self, login: &Login, further: &[(&str, &str)]) -> Result<(), ClientError> {
        // JSON output and cached plans rely on ISO dates and on floats with full precision.
        let parameters = [
            ("user", login.user.as_str()),
            ("database", login.database.as_str()),
            ("application_name", "cloch"),
            ("client_encoding", "UTF8"),
            ("DateStyle", "ISO"),
            ("IntervalStyle", "postgres"),
            ("extra_float_digits", "1"),
        ];
        let parameters = parameters.into_iter().chain(login.session_settings()).chain(further.iter().copied());
        frontend::startup_message(parameters, self.write_buffer.buffer())?;
        loop {
            match self.message().await? {
                Message::AuthenticationOk | Message::ParameterStatus(_) | Message::NoticeResponse(_) => {}
                Message::BackendKeyData(body) => {
                    self.key = BackendKey { process: body.process_id(), secret: body.secret_key() };
                }
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(login.password.expose().as_bytes(), self.write_buffer.buffer())?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let password = login.password.expose().as_bytes();
                    let hash = md5_hash(login.user.as_bytes(), password, body.salt());
                    frontend::password_message(hash.as_bytes(), self.write_buffer.buffer())?;
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
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), self.write_buffer.buffer())?;
        loop {
            match self.message().await? {
                Message::AuthenticationSaslContinue(body) => {
                    scram.update(body.data())?;
                    frontend::sasl_response(scram.message(), self.write_buffer.buffer())?;
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

async fn open(login: &Login, further: &[(&str, &str)]) -> Result<Connection, ClientError> {
    let mut connection = Connection::new(Socket::open(login).await?, login.keep_statements);
    connection.log_in(login, further).await?;
    Ok(connection)
}
