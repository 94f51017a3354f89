//! Selects the clients that are subject to the rate limits by client address and by account.

use super::client::Client;

/// The clients that are subject to the rate limits by client address and by account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressLimits {
    /// All clients, for a server that accepts connections from other machines.
    Everybody,
    /// All clients except those that run on the server's own machine, because the Supabase CLI never limits local clients.
    AllButLocal,
    /// No clients, for tests of features other than rate limits.
    #[cfg(test)]
    Nobody,
}

impl AddressLimits {
    pub(crate) fn apply_to(self, client: &Client) -> bool {
        match self {
            Self::Everybody => true,
            Self::AllButLocal => !client.is_local,
            #[cfg(test)]
            Self::Nobody => false,
        }
    }
}
