//! The access token of a channel: renewal, expiry, and the end of the token's auth session.

use std::time::Duration;

use cloch_sql::Caller;
use serde_json::Value;
use tokio::time::Instant;

use super::{Channel, Next};
use crate::authorization::{Extension, Permissions};
use crate::error::{JoinError, TokenRefused};
use crate::hub::Hears;
use crate::join_fields::Fields;
use crate::join_request;
use crate::sessions::Watch;
use crate::state::{RealtimeState, expiry, now};

/// Maximum interval between checks of a token. A token that expires before the end of the interval is checked at its expiry.
const TOKEN_CHECK_INTERVAL: Duration = Duration::from_secs(300);

impl Channel {
    pub(crate) fn next_check(&self) -> Instant {
        self.check
    }

    /// Checks whether the auth session of the token has ended. If the next token check is due, also checks whether the token has expired.
    /// Returns whether the channel stays open.
    pub(crate) fn check(&mut self) -> Next {
        if self.session.as_ref().is_some_and(Watch::has_ended) {
            self.session = None;
            return self.lose_session();
        }
        if Instant::now() < self.check {
            return Next::Stay;
        }
        match expiry(&self.caller) {
            Some(end) if end <= now() => self.fail(&TokenRefused::Expired(now() - end).to_string()),
            _ => {
                self.check = check_of(&self.caller);
                Next::Stay
            }
        }
    }

    /// Revokes access after the auth session has ended: closes a private channel, or ends the table-change subscription of a public
    /// channel. Returns whether the channel stays open.
    fn lose_session(&mut self) -> Next {
        let ended = TokenRefused::SessionEnded.to_string();
        if self.membership.topic().private {
            return self.fail(&ended);
        }
        if let Some(subscription) = &self.subscription {
            subscription.end(&ended);
        }
        Next::Stay
    }

    /// Replaces the access token by the token in `payload` and checks the permissions of its caller on the channel. Does nothing if
    /// `payload` contains no token. Returns whether the channel stays open.
    pub(super) async fn renew(&mut self, state: &RealtimeState, payload: &Value) -> Next {
        let token = Fields::of_payload(payload).and_then(|payload| join_request::token(&payload));
        let token = match token {
            Ok(Some(token)) => token,
            Ok(None) => return Next::Stay,
            Err(_) => return self.fail(&TokenRefused::Malformed.to_string()),
        };
        if self.caller.token().is_some_and(|before| before.matches(&token)) {
            return Next::Stay;
        }
        let caller = match state.caller_of_token(&token).await {
            Ok(caller) => caller,
            Err(error) => return self.fail(&error.to_string()),
        };
        // The auth session is watched before the policy check begins, so that an end of the session during the check is detected.
        let session = state.sessions.watch(&caller, &self.outbox.wake);
        if session.as_ref().is_some_and(Watch::has_ended) {
            return self.fail(&TokenRefused::SessionEnded.to_string());
        }
        let topic = self.membership.topic();
        let presence = self.request.presence || self.shows_presence;
        let permissions = match Permissions::check(&state.policy_checks, &caller, &self.headers, topic, presence).await
        {
            Ok(permissions) if self.loses_reads(permissions) => {
                return self.fail(&JoinError::ReadRevoked(topic.name.clone()).to_string());
            }
            Ok(permissions) => permissions,
            Err(error) => return self.fail(&error.to_string()),
        };
        self.permissions = permissions;
        self.check = check_of(&caller);
        self.session = session;
        self.caller = caller;
        self.membership.set_hears(Hears {
            broadcasts: self.permissions.read_broadcasts,
            own_broadcasts: self.request.own_broadcasts,
            presence: self.shows_presence,
        });
        if self.request.presence && !self.shows_presence && self.permissions.read_presence {
            self.show_presence();
        }
        if self.is_tracked && !self.may_send(state, Extension::Presence).await {
            self.is_tracked = false;
            self.membership.untrack();
        }
        if let Some(before) = self.subscription.take() {
            self.resubscribe(state, before);
        }
        Next::Stay
    }

    /// Whether the client has received messages of a kind (`realtime.messages.extension`) that a token with `permissions` may not read. As
    /// in Supabase's Realtime server, such a token closes the channel. Otherwise, the client would treat old messages and old presence as
    /// current.
    fn loses_reads(&self, permissions: Permissions) -> bool {
        (self.permissions.read_broadcasts && !permissions.read_broadcasts)
            || (self.shows_presence && !permissions.read_presence)
    }
}

/// Returns the time at which the caller's token has to be checked next.
pub(super) fn check_of(caller: &Caller) -> Instant {
    let left = expiry(caller).map_or(i64::MAX, |end| end - now()).max(0).cast_unsigned();
    Instant::now() + TOKEN_CHECK_INTERVAL.min(Duration::from_secs(left))
}
