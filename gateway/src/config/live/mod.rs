//! Settings that a running server applies without a restart: the keys in [`keys`]. All other keys keep the values that they had when the
//! server started (docs/decisions/0020-live-settings.md).

mod keys;
mod tables;

pub(crate) use keys::LiveKeys;
pub(crate) use tables::Tables;

/// File with settings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ConfigFile {
    ConfigToml,
    ClochToml,
}

#[cfg(test)]
mod tests;
