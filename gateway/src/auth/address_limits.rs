//! Which clients the rate limits apply to.

use super::client::Client;

/// Whom the limits for each client address, and those for each account, apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressLimits {
    /// Everybody: a server that is reached from outside.
    Everybody,
    /// Everybody but who develops at this machine. The Supabase CLI never limits them locally.
    AllButLocal,
    /// Nobody: tests of anything else.
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
