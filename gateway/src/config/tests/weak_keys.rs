//! Weak keys in config.toml and in variables: the error names the place where the operator wrote the key.

use super::Folder;

#[test]
fn a_weak_key_is_refused_with_the_place_where_it_is_written() {
    let good = "a secret of 32 characters or more";
    let file = "config.toml, line 2: auth.";
    for (config, variables, expected) in [
        ("[auth]\njwt_secret = \"sh0rt\"\n", vec![], format!("{file}jwt_secret: must have at least 16 characters")),
        ("[auth]\nservice_role_key = \"sh0rt\"\n", vec![], format!("{file}service_role_key: must have")),
        ("[auth]\nsecret_key = \"sh0rt\"\n", vec![], format!("{file}secret_key: must have")),
        ("", vec![("CLOCH_JWT_SECRET", "sh0rt")], "CLOCH_JWT_SECRET: must have".to_owned()),
        ("", vec![("CLOCH_SERVICE_ROLE_KEY", "sh0rt")], "CLOCH_SERVICE_ROLE_KEY: must have".to_owned()),
        // The variable takes precedence over the file.
        (
            "[auth]\njwt_secret = \"a good secret of the file\"\n",
            vec![("CLOCH_JWT_SECRET", "sh0rt")],
            "CLOCH_JWT_SECRET: must have".to_owned(),
        ),
        // The value of a variable that config.toml names.
        (
            "[auth]\njwt_secret = \"env(SUPABASE_AUTH_SECRET)\"\n",
            vec![("SUPABASE_AUTH_SECRET", "sh0rt")],
            format!("{file}jwt_secret: must have at least 16 characters"),
        ),
    ] {
        let error = Folder::new(config).read(&variables).unwrap_err();
        assert!(error.contains(&expected) && !error.contains("sh0rt"), "{error}");
        assert!(!expected.starts_with("CLOCH_") || error.starts_with(&expected), "{error}");
    }
    let weak = "[auth]\njwt_secret = \"sh0rt\"\n";
    assert!(Folder::new(weak).read(&[("CLOCH_JWT_SECRET", good)]).is_ok(), "the key of the file is not used");
}

/// The text `env(SUPABASE_AUTH_JWT_SECRET)` has more than 16 characters. Everybody who has read config.toml could sign tokens with it.
#[test]
fn the_text_of_a_variable_that_is_not_set_is_no_secret() {
    for key in ["jwt_secret", "service_role_key", "secret_key"] {
        let folder = Folder::new(&format!("[auth]\n{key} = \"env(SUPABASE_AUTH_JWT_SECRET)\"\n"));
        let error = folder.read(&[]).unwrap_err();
        let expected = format!(
            "config.toml, line 2: auth.{key}: the value is that of the variable SUPABASE_AUTH_JWT_SECRET, which is not set"
        );
        assert!(error.contains(&expected), "{error}");
        assert!(folder.read(&[("SUPABASE_AUTH_JWT_SECRET", "a secret of 32 characters or more")]).is_ok());
    }
}
