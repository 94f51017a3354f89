//! Messages to other nodes of the project, and the queue that holds them until the bus sends them.

mod message;
mod send_queue;

pub(super) use message::{Message, Sent};
pub(super) use send_queue::{Outgoing, Outlet, outlet};
