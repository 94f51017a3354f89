//! Bus engine over a NATS server, for message rates beyond the capacity of NOTIFY.

use async_nats::{Client, ConnectOptions, Subscriber, ToServerAddrs};
use cloch_core::Secret;
use cloch_sql::Database;
use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::large_payload::Stored;
use super::postgres::pool;
use super::{BusError, Engine};

/// First byte of a payload that contains the message itself.
const WHOLE: u8 = 0;
/// First byte of a payload that contains the id of a stored message ([`Stored`]).
const STORED: u8 = 1;
/// Difference in bytes between the NATS server's `max_payload` and the maximum size of a bus message that is sent through NATS.
const MARGIN_BYTES: usize = 1_024;

#[derive(Debug)]
pub(super) struct Nats {
    client: Client,
    subscriber: Subscriber,
    subject: String,
    stored: Stored,
    reading: Option<Uuid>,
}

/// Checks the value of `[realtime] nats_url` with the parser of the NATS client. Does not connect.
///
/// # Errors
/// If the text is not the URL of a NATS server. The error message does not contain the text, which may contain a password.
pub fn check_nats_url(text: &str) -> Result<(), String> {
    let addresses: Vec<_> = text.to_server_addrs().map_err(|error| error.to_string())?.collect();
    // The NATS client reports a missing host only when it connects, so the host is checked here.
    if addresses.iter().any(|address| address.host().is_empty()) {
        return Err("the URL has no host".to_owned());
    }
    Ok(())
}

impl Nats {
    pub(super) async fn connect(database: &Database, url: &Secret, key: &Secret) -> Result<Self, BusError> {
        // Projects on the same NATS server have different keys. The subject is derived from the key, so these projects also have different
        // subjects.
        let digest = Sha256::digest(["cloch bus subject ", key.expose()].concat());
        let subject = format!("cloch.{}", hex::encode(digest.get(..12).unwrap_or_default()));
        let options = ConnectOptions::new().name("cloch");
        let client = options.connect(url.expose()).await.map_err(|error| BusError::Nats(error.to_string()))?;
        let subscriber = client.subscribe(subject.clone()).await.map_err(|error| BusError::Nats(error.to_string()))?;
        // The NATS client reconnects by itself. Messages lost while it was disconnected are detected by gaps in the message numbers.
        client.flush().await.map_err(|error| BusError::Nats(error.to_string()))?;
        Ok(Self { client, subscriber, subject, stored: Stored::new(pool(database, 1)), reading: None })
    }
}

impl Engine for Nats {
    async fn publish(&mut self, messages: Vec<Vec<u8>>) -> Result<(), BusError> {
        let max_bytes = self.client.server_info().max_payload.saturating_sub(MARGIN_BYTES);
        for message in messages {
            let payload = if message.len() <= max_bytes {
                [&[WHOLE], &message[..]].concat()
            } else {
                [&[STORED], &self.stored.store(&message).await?.as_bytes()[..]].concat()
            };
            let sent = self.client.publish(self.subject.clone(), payload.into()).await;
            sent.map_err(|error| BusError::Nats(error.to_string()))?;
        }
        self.client.flush().await.map_err(|error| BusError::Nats(error.to_string()))
    }

    async fn receive(&mut self) -> Result<Vec<u8>, BusError> {
        loop {
            if let Some(id) = self.reading {
                let message = self.stored.read(id).await?;
                self.reading = None;
                if let Some(message) = message {
                    return Ok(message);
                }
            }
            let message = self.subscriber.next().await.ok_or(BusError::Lost)?;
            match message.payload.split_first() {
                Some((&WHOLE, message)) => return Ok(message.to_vec()),
                Some((&STORED, id)) => self.reading = Uuid::from_slice(id).ok(),
                _ => return Ok(Vec::new()),
            }
        }
    }
}
