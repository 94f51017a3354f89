//! The tables of schema `auth`: each file contains the row type and the SQL statements of one table.

pub(crate) mod audit;
pub(crate) mod custom_provider;
pub(crate) mod factor;
pub(crate) mod flow_state;
pub(crate) mod identity;
pub(crate) mod oauth_authorization;
pub(crate) mod oauth_client;
pub(crate) mod oauth_client_state;
pub(crate) mod oauth_consent;
pub(crate) mod one_time_token;
pub(crate) mod passkey;
pub(crate) mod recovery_code;
pub(crate) mod refresh_token;
pub(crate) mod session;
pub(crate) mod sign_up;
pub(crate) mod soft_delete;
pub(crate) mod user;
pub(crate) mod user_confirm;
pub(crate) mod user_contact;
pub(crate) mod user_update;
pub(crate) mod webauthn_factor;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

/// A JSON object of a metadata column, such as `raw_user_meta_data`.
pub(crate) type Metadata = Map<String, Value>;
pub(crate) type Time = DateTime<Utc>;

/// Merges the top-level fields of `changes` into `current`. A `null` in `changes` removes the field from `current`.
pub(crate) fn merge(current: &mut Metadata, changes: &Metadata) {
    for (key, value) in changes {
        if value.is_null() {
            current.shift_remove(key);
        } else {
            current.insert(key.clone(), value.clone());
        }
    }
}
