//! The clients that rate limits by client address apply to.

use super::client::Client;

/// The clients that the limits by client address and by account apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressLimits {
    /// All clients: for a server that is reached from outside.
    Everybody,
    /// All clients but those on this machine. The Supabase CLI never limits local clients.
    AllButLocal,
    /// No client: for tests of other features.
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
