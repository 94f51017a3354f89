//! Keys of the environment or config.toml that replace those of secrets.toml.

use cloch_core::Secret;

/// Keys that take precedence over the generated keys.
#[derive(Clone, Debug, Default)]
pub struct KeyOverrides {
    /// `CLOCH_JWT_SECRET`, or `[auth] jwt_secret`.
    pub jwt_secret: Option<Secret>,
    /// `CLOCH_ANON_KEY`, or `[auth] anon_key`.
    pub anon_key: Option<Secret>,
    /// `CLOCH_SERVICE_ROLE_KEY`, or `[auth] service_role_key`.
    pub service_role_key: Option<Secret>,
    /// `[auth] publishable_key`.
    pub publishable_key: Option<Secret>,
    /// `[auth] secret_key`.
    pub secret_key: Option<Secret>,
    /// Whether the keys are the well-known keys of the Supabase CLI (`--cli-keys`).
    pub are_the_clis: bool,
}
