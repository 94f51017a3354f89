//! Tests of the auth API over HTTP with a real PostgreSQL. Each test creates a project of its own. In each file, the tests of refused
//! requests come before the tests of accepted requests.

mod admin;
mod answers;
mod authenticator;
mod captcha;
mod changed_contacts;
mod custom_providers;
mod external;
mod factors;
mod faults;
mod forged_headers;
mod guessing;
mod hooks;
mod issuer;
mod linking;
mod local_server;
mod message_counts;
mod oauth_server;
mod passkeys;
mod phone_factors;
mod project;
mod recovery_codes;
mod refresh;
mod shapes;
mod signing_in;
mod signing_up;
mod strangers;
mod text_messages;
mod third_party;
mod unconfirmed_accounts;
mod upkeep;
mod user;
mod verifying;
mod web3;
mod webauthn_factors;

use project::{Answer, Project};
use serde_json::json;
