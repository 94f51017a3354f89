//! Tests of the variables that `env()` reads.

use super::*;

#[test]
fn variables_of_env_files_fill_in_config_toml_and_the_process_wins() {
    let folder = Folder::new(
        "[auth]\nsite_url = \"env(MY_SITE)\"\n[auth.external.github]\nenabled = true\nclient_id = \"env(GH_ID)\"\nsecret = \"env(GH_SECRET)\"\n",
    );
    let unset = folder.read(&[]).unwrap().warnings.join("\n");
    for key in ["auth.site_url", "auth.external.github.secret"] {
        assert!(unset.contains(&format!("{key} takes its value from the variable")), "{unset}");
    }
    std::fs::write(folder.0.join(".env"), "MY_SITE=http://localhost:3000\nno name\nGH_ID=abc\nGH_SECRET=x y\n")
        .unwrap();
    let of_process = ("GH_ID", "of the process");
    let read = |variables: &[(&str, &str)]| {
        folder.read(variables).unwrap().file.auth.external.get("github").unwrap().client_id.clone()
    };
    assert_eq!(read(&[of_process]), "abc", "what the operator has not allowed does not win");
    let config = folder.read(&[of_process, ("CLOCH_PROJECT_ENV", "GH_ID")]).unwrap();
    assert_eq!(config.file.auth.site_url, "http://localhost:3000");
    let github = config.file.auth.external.get("github").unwrap();
    assert_eq!(github.client_id, "of the process");
    assert!(config.warnings.iter().any(|warning| warning.contains(".env, line 2: skipped")), "{:?}", config.warnings);
    assert!(!config.warnings.iter().any(|warning| warning.contains("GH_SECRET")), "{:?}", config.warnings);
}

/// A copied project starts on this machine although its variables are not set. A server that other machines reach requires the app's URL.
#[test]
fn a_site_url_of_a_variable_that_is_not_set_has_the_default_on_this_machine() {
    let read = |config: &str| Folder::new(&format!("[auth]\nsite_url = \"env(CLOCH_TEST_SITE)\"\n{config}")).read(&[]);
    let config = read("").unwrap();
    assert_eq!(config.file.auth.site_url, "http://127.0.0.1:3000");
    assert!(config.warnings.iter().any(|warning| warning.contains("links in mails lead to")), "{:?}", config.warnings);
    let error = read("[api]\nexternal_url = \"https://club.example\"\n").unwrap_err();
    assert!(error.contains("auth.site_url") && error.contains("CLOCH_TEST_SITE"), "{error}");
}

#[test]
fn a_site_url_that_is_a_placeholder_has_the_default_on_this_machine() {
    let read = |config: &str| Folder::new(&format!("[auth]\nsite_url = \"{{{{SITE_URL}}}}\"\n{config}"));
    let config = read("").read(&[]).unwrap();
    assert_eq!(config.file.auth.site_url, "http://127.0.0.1:3000");
    let expected = "config.toml, line 2: auth.site_url is the placeholder \"{{SITE_URL}}\": links in mails lead to http://127.0.0.1:3000";
    assert!(config.warnings.iter().any(|warning| warning.ends_with(expected)), "{:?}", config.warnings);
    let config = read("").read(&[("CLOCH_SITE_URL", "https://club.example")]).unwrap();
    assert_eq!((config.file.auth.site_url.as_str(), config.warnings.len()), ("https://club.example", 0));
    let error = read("[api]\nexternal_url = \"https://club.example\"\n").read(&[]).unwrap_err();
    assert!(error.contains("line 2: auth.site_url: it is the placeholder \"{{SITE_URL}}\", and clients"), "{error}");
}
