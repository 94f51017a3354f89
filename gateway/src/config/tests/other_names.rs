//! Names that are no keys of config.toml and are often written instead of one. Many projects have them, and the Supabase CLI 3.1 only warns about
//! them.

use super::*;

#[test]
fn another_name_of_a_key_is_a_warning_if_its_value_is_in_effect() {
    for config in [
        "[auth]\nrefresh_token_rotation_enabled = true\naccess_token_expiry = 3600\n",
        "[auth]\nrefresh_token_rotation_enabled = false\nenable_refresh_token_rotation = false\naccess_token_expiry = 600\njwt_expiry = 600\n",
    ] {
        let warnings = Folder::new(config).read(&[]).unwrap().warnings;
        for key in ["auth.refresh_token_rotation_enabled", "auth.access_token_expiry"] {
            let expected = format!("the key {key} is unknown");
            assert!(warnings.iter().any(|warning| warning.contains(&expected)), "{config}: {warnings:?}");
        }
    }
    for config in [
        "[auth]\naccess_token_expiry = 600\n",
        "[auth]\naccess_token_expiry = 3600\njwt_expiry = 7200\n",
        "[auth]\nrefresh_token_rotation_enabled = true\nenable_refresh_token_rotation = false\n",
        "[auth]\nrefresh_token_expiry = 2592000\n",
    ] {
        assert!(Folder::new(config).read(&[]).unwrap_err().contains("It could close"), "{config}");
    }
}
