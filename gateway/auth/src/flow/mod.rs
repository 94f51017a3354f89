//! The flows that several endpoints of the auth API share: accounts, sessions, codes, mails, hooks and external sign-in providers.

pub(crate) mod accounts;
pub mod cleanup;
pub(crate) mod code_guesses;
pub(crate) mod external;
pub(crate) mod hooks;
pub(crate) mod issue_session;
pub(crate) mod mail;
pub(crate) mod message_count;
pub(crate) mod message_request;
pub(crate) mod oauth_server;
pub(crate) mod one_time_code;
pub(crate) mod passkeys;
pub(crate) mod password_guesses;
pub(crate) mod rate_limit;
pub(crate) mod recovery_codes;
pub(crate) mod refresh;
pub(crate) mod refresh_token_v2;
pub(crate) mod register;
pub(crate) mod session_lifetime;
pub(crate) mod sms;
pub mod totp;
pub(crate) mod verify;
pub(crate) mod web3;
pub mod webauthn_options;
