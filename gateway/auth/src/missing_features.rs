//! Lists settings that config.toml enables under `[auth]` but that this server does not implement. The server logs each of these settings
//! as a warning at startup, so that operators do not rely on a protection or a sign-in method that does not exist.

use crate::flow::external::providers;
use crate::flow::web3::Chain;
use crate::settings::Settings;

/// A setting of config.toml that is enabled but has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingFeature {
    /// The key of the setting in config.toml, such as `auth.external.figma.enabled`.
    pub key: String,
    /// What the server does instead, and how to correct the setting.
    pub message: &'static str,
}

/// Returns the enabled settings of a project that have no effect.
#[must_use]
pub fn missing_features(settings: &Settings) -> Vec<MissingFeature> {
    let mut found = Vec::new();
    let mut missing = |is_missing: bool, key: &str, message: &'static str| {
        if is_missing {
            found.push(MissingFeature { key: format!("auth.{key}"), message });
        }
    };
    for (chain, switch) in settings.web3.iter().filter(|(chain, _)| Chain::named(chain).is_none()) {
        let message = "sign-in with wallets of this chain is not supported, only ethereum and solana are";
        missing(switch.enabled, &format!("web3.{chain}.enabled"), message);
    }
    let (sms, has_hook) = (&settings.sms, settings.hook.send_sms.enabled);
    let providers = [&sms.twilio, &sms.twilio_verify, &sms.messagebird, &sms.textlocal, &sms.vonage];
    let has_provider = providers.iter().any(|one| one.enabled);
    let phone = settings.mfa.phone.enroll_enabled || settings.mfa.phone.verify_enabled;
    missing(
        phone && !has_hook && !has_provider,
        "mfa.phone",
        "no provider sends the codes: enable a provider in [auth.sms], or the hook [auth.hook.send_sms]",
    );
    for (name, provider) in settings.external.iter().filter(|(_, provider)| provider.enabled) {
        let is_unknown = providers::known(name).is_none() && provider.url.is_empty();
        let message = "this provider is not built in, sign-in with it is refused: for an OpenID Connect provider, set its \
                       issuer as `url`";
        missing(is_unknown, &format!("external.{name}.enabled"), message);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(config: &str) -> Vec<String> {
        let settings: Settings = toml::from_str(config).unwrap();
        missing_features(&settings).into_iter().map(|missing| missing.key).collect()
    }

    #[test]
    fn each_missing_feature_is_named() {
        for (config, key) in [
            ("[web3.bitcoin]\nenabled = true", "auth.web3.bitcoin.enabled"),
            ("[mfa.phone]\nenroll_enabled = true", "auth.mfa.phone"),
            ("[external.figma]\nenabled = true", "auth.external.figma.enabled"),
        ] {
            assert_eq!(keys(config), [key], "{config}");
            assert_eq!(keys(&config.replace("true", "false")), [""; 0], "{config}");
        }
    }

    #[test]
    fn what_works_is_not_named() {
        assert_eq!(keys(""), [""; 0]);
        assert_eq!(keys("[external.github]\nenabled = true"), [""; 0]);
        assert_eq!(keys("[external.figma]\nenabled = true\nurl = \"https://id.example\""), [""; 0]);
        assert_eq!(keys("[web3.solana]\nenabled = true\n[web3.ethereum]\nenabled = true"), [""; 0]);
        assert_eq!(keys("[sms.twilio_verify]\nenabled = true\n[mfa.phone]\nenroll_enabled = true"), [""; 0]);
        assert_eq!(keys("[sms.vonage]\nenabled = true\n[mfa.phone]\nenroll_enabled = true"), [""; 0]);
    }
}
