//! Verifies a one-time link or code: finds its user, checks it, and applies it.

pub(crate) mod apply;
pub(crate) mod find;

use cloch_core::Secret;

use crate::model::Time;
use crate::model::user::User;
use crate::pkce::TOKEN_PREFIX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Signup,
    Invite,
    Recovery,
    MagicLink,
    EmailChange,
    /// The code or link of type `email`: it confirms a pending sign-up, or it is a magic link. The stored token determines which of the
    /// two.
    Email,
    Sms,
    PhoneChange,
}

impl Purpose {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "signup" => Self::Signup,
            "invite" => Self::Invite,
            "recovery" => Self::Recovery,
            "magiclink" => Self::MagicLink,
            "email_change" => Self::EmailChange,
            "email" => Self::Email,
            "sms" => Self::Sms,
            "phone_change" => Self::PhoneChange,
            _ => return None,
        })
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Invite => "invite",
            Self::Recovery => "recovery",
            Self::MagicLink => "magiclink",
            Self::EmailChange => "email_change",
            Self::Email => "email",
            Self::Sms => "sms",
            Self::PhoneChange => "phone_change",
        }
    }

    /// Returns the `authentication_method` of the PKCE flow that a link of this purpose continues. `None` for purposes without a PKCE flow.
    pub(crate) const fn method(self) -> Option<&'static str> {
        match self {
            Self::Signup => Some("email/signup"),
            Self::Invite => Some("invite"),
            Self::Recovery => Some("recovery"),
            Self::MagicLink => Some("magiclink"),
            Self::EmailChange => Some("email_change"),
            Self::Email | Self::Sms | Self::PhoneChange => None,
        }
    }
}

/// A stored one-time token: its hash, the time when it was sent, and its lifetime in seconds.
pub(crate) struct Pending<'a> {
    pub(crate) hash: &'a Secret,
    pub(crate) sent_at: Option<Time>,
    pub(crate) expiry: u64,
}

impl Pending<'_> {
    /// Whether the hash of a code equals the stored hash (with or without the PKCE prefix) and the token has not expired.
    pub(crate) fn is_met_by(&self, hash: &str) -> bool {
        self.is_in_time() && (self.hash.matches(hash) | self.hash.matches(&format!("{TOKEN_PREFIX}{hash}")))
    }

    pub(crate) fn is_in_time(&self) -> bool {
        let life = chrono::TimeDelta::seconds(i64::try_from(self.expiry).unwrap_or(0));
        self.sent_at.is_some_and(|sent| chrono::Utc::now() <= sent + life)
    }
}

pub(crate) enum Verified {
    /// The confirmed user, and the purpose of the one-time token.
    User(Box<User>, Purpose),
    /// Only one of the two addresses has confirmed an e-mail address change; the confirmation of the second address is pending.
    HalfConfirmed,
}
