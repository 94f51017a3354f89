//! Tests of the sign-in providers of config.toml. The rule is that of the Supabase CLI (`external.validate` in its pkg/config/config.go):
//! if `[auth]` is enabled, an enabled provider needs a client id and, except for Apple and Google, a secret. The CLI ignores the old
//! providers `linkedin` and `slack`.

use super::*;

fn read(name: &str, keys: &str) -> Result<Config, String> {
    Folder::new(&format!("[auth.external.{name}]\n{keys}")).read(&[])
}

#[test]
fn an_enabled_provider_needs_a_client_id_and_a_secret() {
    for (name, keys, missing) in [
        ("github", "enabled = true", "client_id"),
        ("github", "enabled = true\nclient_id = \" \"\nsecret = \"s\"", "client_id"),
        ("google", "enabled = true\nsecret = \"s\"", "client_id"),
        ("github", "enabled = true\nclient_id = \"a\"", "secret"),
        ("gitlab", "enabled = true\nclient_id = \"a\"\nurl = \"https://gitlab.example\"", "secret"),
        ("sso", "enabled = true\nurl = \"https://sso.example\"", "client_id"),
    ] {
        let Err(error) = read(name, keys) else { panic!("{keys}: accepted") };
        let key = format!("auth.external.{name}.{missing}");
        assert!(error.contains(&key) && error.contains("the provider is enabled"), "{keys}: {error}");
    }
}

#[test]
fn what_a_provider_does_not_need_may_be_empty() {
    for (name, keys) in [
        ("github", "enabled = false"),
        ("github", "client_id = \"a\""),
        ("github", "enabled = true\nclient_id = \"a\"\nsecret = \"s\""),
        ("github", "enabled = true\nclient_id = \"env(UNSET_ID)\"\nsecret = \"env(UNSET_SECRET)\""),
        ("slack", "enabled = true"),
        ("github", "enabled = true\n[auth]\nenabled = false"),
        ("google", "enabled = true\nclient_id = \"a\""),
        ("apple", "enabled = true\nclient_id = \"a\""),
        ("sso", "enabled = true\nclient_id = \"a\"\nurl = \"https://sso.example\""),
    ] {
        read(name, keys).unwrap_or_else(|error| panic!("{keys}: {error}"));
    }
}

#[test]
fn a_variable_of_an_enabled_issuer_that_is_not_set_is_named() {
    let read = |keys: &str| Folder::new(&format!("[auth.third_party.clerk]\n{keys}")).read(&[]);
    let error = read("enabled = true\ndomain = \"env(UNSET_DOMAIN)\"").unwrap_err();
    let expected =
        "line 3: auth.third_party.clerk.domain: the value is that of the variable UNSET_DOMAIN, which is not set";
    assert!(error.contains(expected), "{error}");
    for keys in ["enabled = false\ndomain = \"env(UNSET_DOMAIN)\"", "enabled = true\ndomain = \"clerk.example.com\""] {
        read(keys).unwrap_or_else(|error| panic!("{keys}: {error}"));
    }
}
