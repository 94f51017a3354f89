//! Settings of accounts: sign-up, passwords, sessions, second factors, passkeys, rate limits.

use serde_json::json;

use super::{Group, Kind, Names, Spec, duration};

const DIGITS: Kind = Kind::Count { min: 6, max: 10 };
const SECONDS: Kind = Kind::Count { min: 1, max: 31_536_000 };
const RATE: Kind = Kind::Count { min: 0, max: 1_000_000_000 };

pub(super) const GROUPS: &[Group] = &[
    Group { name: "sign-up", title: "Sign-up", names: Names::None, settings: SIGN_UP },
    Group { name: "passwords", title: "Passwords", names: Names::None, settings: PASSWORDS },
    Group { name: "sessions", title: "Sessions", names: Names::None, settings: SESSIONS },
    Group { name: "mfa", title: "Second factors", names: Names::None, settings: MFA },
    Group { name: "passkeys", title: "Passkeys", names: Names::None, settings: PASSKEYS },
    Group { name: "auth-limits", title: "Rate limits of sign-in", names: Names::None, settings: RATE_LIMITS },
];

const SIGN_UP: &[Spec] = &[
    Spec::config("auth.enable_signup", Kind::Switch, "New users can sign up", |f, _| {
        json!(f.config.auth.enable_signup)
    })
    .hint("If it is off, users are created by invitation or by an administrator only."),
    Spec::config("auth.enable_anonymous_sign_ins", Kind::Switch, "Users can sign in anonymously", |f, _| {
        json!(f.config.auth.enable_anonymous_sign_ins)
    }),
    Spec::cloch(
        "auth.anonymous_user_days",
        Kind::Count { min: 1, max: 36_500 },
        "Days until anonymous users are deleted",
        |f, _| json!(f.cloch.auth.anonymous_user_days),
    )
    .hint("Rows that refer to a deleted user are deleted too. Without a value, anonymous users are kept."),
    Spec::config("auth.enable_manual_linking", Kind::Switch, "Users can link and unlink providers", |f, _| {
        json!(f.config.auth.enable_manual_linking)
    }),
    Spec::config("auth.email.enable_signup", Kind::Switch, "Sign-up and sign-in with an e-mail address", |f, _| {
        json!(f.config.auth.email.enable_signup)
    })
    .newer("auth.email.enabled"),
    Spec::config("auth.email.enable_confirmations", Kind::Switch, "New e-mail addresses must be confirmed", |f, _| {
        json!(f.config.auth.email.enable_confirmations)
    })
    .hint("Without it, anybody can sign up with the address of somebody else."),
    Spec::config(
        "auth.email.double_confirm_changes",
        Kind::Switch,
        "A changed e-mail address is confirmed at both addresses",
        |f, _| json!(f.config.auth.email.double_confirm_changes),
    ),
    Spec::config("auth.email.otp_length", DIGITS, "Digits of a code in a mail", |f, _| {
        json!(f.config.auth.email.otp_length)
    }),
    Spec::config(
        "auth.email.otp_expiry",
        Kind::Count { min: 1, max: 86_400 },
        "Seconds until a code or link in a mail expires",
        |f, _| json!(f.config.auth.email.otp_expiry),
    )
    .hint("600 are advised."),
    Spec::config("auth.email.max_frequency", Kind::Duration, "Minimum time between two mails to a user", |f, _| {
        duration(f.config.auth.email.max_frequency)
    }),
    Spec::cloch("auth.invitation_expiry", SECONDS, "Seconds until an invitation expires", |f, _| {
        json!(f.cloch.auth.invitation_expiry)
    })
    .hint("Without a value, as for all other links."),
    Spec::config("auth.sms.enable_signup", Kind::Switch, "Sign-up and sign-in with a phone number", |f, _| {
        json!(f.config.auth.sms.enable_signup)
    })
    .newer("auth.sms.enabled"),
    Spec::config("auth.sms.enable_confirmations", Kind::Switch, "New phone numbers must be confirmed", |f, _| {
        json!(f.config.auth.sms.enable_confirmations)
    }),
    Spec::config("auth.sms.template", Kind::Text, "Text message with a code", |f, _| json!(f.config.auth.sms.template))
        .hint("{{ .Code }} stands for the code."),
    Spec::config(
        "auth.sms.max_frequency",
        Kind::Duration,
        "Minimum time between two text messages to a user",
        |f, _| duration(f.config.auth.sms.max_frequency),
    ),
];

const PASSWORDS: &[Spec] = &[
    Spec::config(
        "auth.minimum_password_length",
        Kind::Count { min: 6, max: 72 },
        "Minimum length of a password",
        |f, _| json!(f.config.auth.minimum_password_length),
    ),
    Spec::config(
        "auth.password_requirements",
        Kind::Choice {
            choices: &["", "letters_digits", "lower_upper_letters_digits", "lower_upper_letters_digits_symbols"],
        },
        "Characters that a password must contain",
        |f, _| {
            use cloch_auth::settings::PasswordRequirements as Required;
            json!(match f.config.auth.password_requirements {
                Required::None => "",
                Required::LettersDigits => "letters_digits",
                Required::LowerUpperLettersDigits => "lower_upper_letters_digits",
                Required::LowerUpperLettersDigitsSymbols => "lower_upper_letters_digits_symbols",
            })
        },
    ),
    Spec::config(
        "auth.email.secure_password_change",
        Kind::Switch,
        "A password change needs a recent sign-in",
        |f, _| json!(f.config.auth.email.secure_password_change),
    )
    .hint("If the session is older than 24 hours, the user confirms with a code."),
    Spec::cloch(
        "auth.require_current_password",
        Kind::Switch,
        "A password change needs the current password",
        |f, _| json!(f.cloch.auth.require_current_password),
    ),
    Spec::cloch(
        "auth.wrong_passwords_per_hour",
        Kind::Count { min: 0, max: 100_000 },
        "Wrong passwords for an account in an hour",
        |f, _| json!(f.cloch.auth.wrong_passwords_per_hour),
    )
    .hint("0 disables the limit."),
];

const SESSIONS: &[Spec] = &[
    Spec::config(
        "auth.jwt_expiry",
        Kind::Count { min: 1, max: 604_800 },
        "Seconds until an access token expires",
        |f, _| json!(f.config.auth.jwt_expiry),
    ),
    Spec::config(
        "auth.enable_refresh_token_rotation",
        Kind::Switch,
        "A refresh token can be used only once",
        |f, _| json!(f.config.auth.enable_refresh_token_rotation),
    ),
    Spec::config(
        "auth.refresh_token_reuse_interval",
        Kind::Count { min: 0, max: 86_400 },
        "Seconds in which a used refresh token is accepted again",
        |f, _| json!(f.config.auth.refresh_token_reuse_interval),
    ),
    Spec::config("auth.sessions.timebox", Kind::Duration, "Maximum age of a session", |f, _| {
        json!(f.config.auth.sessions.timebox.map(duration))
    })
    .hint("Without a value, sessions have no maximum age."),
    Spec::config(
        "auth.sessions.inactivity_timeout",
        Kind::Duration,
        "Time without use after which a session ends",
        |f, _| json!(f.config.auth.sessions.inactivity_timeout.map(duration)),
    ),
    Spec::config("auth.sessions.single_per_user", Kind::Switch, "A sign-in ends the user's other sessions", |f, _| {
        json!(f.config.auth.sessions.single_per_user)
    }),
];

const MFA: &[Spec] = &[
    Spec::config("auth.mfa.totp.enroll_enabled", Kind::Switch, "Users can add an authenticator app", |f, _| {
        json!(f.config.auth.mfa.totp.enroll_enabled)
    }),
    Spec::config("auth.mfa.totp.verify_enabled", Kind::Switch, "Codes of authenticator apps are accepted", |f, _| {
        json!(f.config.auth.mfa.totp.verify_enabled)
    }),
    Spec::config("auth.mfa.phone.enroll_enabled", Kind::Switch, "Users can add a phone", |f, _| {
        json!(f.config.auth.mfa.phone.enroll_enabled)
    }),
    Spec::config("auth.mfa.phone.verify_enabled", Kind::Switch, "Codes sent to phones are accepted", |f, _| {
        json!(f.config.auth.mfa.phone.verify_enabled)
    }),
    Spec::config("auth.mfa.phone.otp_length", DIGITS, "Digits of a code sent to a phone", |f, _| {
        json!(f.config.auth.mfa.phone.otp_length)
    }),
    Spec::config("auth.mfa.phone.template", Kind::Text, "Text message with a code", |f, _| {
        json!(f.config.auth.mfa.phone.template)
    })
    .hint("{{ .Code }} stands for the code."),
    Spec::config("auth.mfa.web_authn.enroll_enabled", Kind::Switch, "Users can add a security key", |f, _| {
        json!(f.config.auth.mfa.web_authn.enroll_enabled)
    }),
    Spec::config("auth.mfa.web_authn.verify_enabled", Kind::Switch, "Security keys are accepted", |f, _| {
        json!(f.config.auth.mfa.web_authn.verify_enabled)
    }),
    Spec::config(
        "auth.mfa.max_enrolled_factors",
        Kind::Count { min: 0, max: 1_000 },
        "Maximum number of second factors of a user",
        |f, _| json!(f.config.auth.mfa.max_enrolled_factors),
    ),
    Spec::cloch("auth.recovery_codes", Kind::Switch, "Users can create recovery codes", |f, _| {
        json!(f.cloch.auth.recovery_codes)
    })
    .hint("A recovery code replaces the second factor once."),
];

const PASSKEYS: &[Spec] = &[
    Spec::config("auth.passkey.enabled", Kind::Switch, "Users can sign in with passkeys", |f, _| {
        json!(f.config.auth.passkey.enabled)
    }),
    Spec::config("auth.webauthn.rp_id", Kind::Text, "Domain of the passkeys", |f, _| {
        json!(f.config.auth.webauthn.rp_id)
    })
    .hint("Passkeys of another domain do not work, also after a change of this value."),
    Spec::config("auth.webauthn.rp_display_name", Kind::Text, "Name that browsers show", |f, _| {
        json!(f.config.auth.webauthn.rp_display_name)
    }),
    Spec::config("auth.webauthn.rp_origins", Kind::List, "Origins of the pages that use passkeys", |f, _| {
        json!(f.config.auth.webauthn.rp_origins)
    })
    .hint("Such as https://app.example"),
    Spec::cloch(
        "auth.passkeys_require_verification",
        Kind::Switch,
        "Passkeys need a PIN, a fingerprint or a face",
        |f, _| json!(f.cloch.auth.passkeys_require_verification),
    ),
];

const RATE_LIMITS: &[Spec] = &[
    Spec::config("auth.rate_limit.email_sent", RATE, "Mails of the project in an hour", |f, _| {
        json!(f.config.auth.rate_limit.email_sent)
    })
    .hint("It applies only if mail is sent by SMTP."),
    Spec::config("auth.rate_limit.sms_sent", RATE, "Text messages of the project in an hour", |f, _| {
        json!(f.config.auth.rate_limit.sms_sent)
    }),
    Spec::config("auth.rate_limit.anonymous_users", RATE, "Anonymous sign-ins of an address in an hour", |f, _| {
        json!(f.config.auth.rate_limit.anonymous_users)
    }),
    Spec::config(
        "auth.rate_limit.sign_in_sign_ups",
        RATE,
        "Sign-ins and sign-ups of an address in 5 minutes",
        |f, _| json!(f.config.auth.rate_limit.sign_in_sign_ups),
    ),
    Spec::config("auth.rate_limit.token_refresh", RATE, "Token refreshes of an address in 5 minutes", |f, _| {
        json!(f.config.auth.rate_limit.token_refresh)
    }),
    Spec::config("auth.rate_limit.token_verifications", RATE, "Verified codes of an address in 5 minutes", |f, _| {
        json!(f.config.auth.rate_limit.token_verifications)
    }),
    Spec::config("auth.rate_limit.web3", RATE, "Wallet sign-ins of an address in 5 minutes", |f, _| {
        json!(f.config.auth.rate_limit.web3)
    }),
];
