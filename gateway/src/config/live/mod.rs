//! Settings that a running server applies: the running configuration with new values of the keys in [`keys`], read with the code of the
//! start. All other keys keep the values of the start until the next one (docs/decisions/0020-live-settings.md).

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
