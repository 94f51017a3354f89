//! A small PostgreSQL client for what is asked most, by the table REST and by uploads: a whole transaction, settings to commit, in one
//! network round trip.
//!
//! The general clients send a `Sync` after every statement. Here a request's statements travel as one batch with a single
//! `Sync` at its end; PostgreSQL runs them as one implicit transaction, so that settings made with `is_local` hold for the
//! statements after them and an error undoes everything.

mod array;
mod cancel;
mod connect;
mod connection;
mod error;
mod exchange;
mod keepalive;
mod outgoing;
mod pool;
mod socket;
mod statements;
mod tls;
mod unix;

pub(crate) use array::array_literal;
pub use connection::{Connection, Notification};
pub use error::{ClientError, DbError};
pub use exchange::{Column, Row, RowSink, Rows, Step};
pub use keepalive::PING_TIMEOUT;
pub(crate) use keepalive::server_settings;
pub use outgoing::Param;
pub use pool::{Checkout, Pool};
