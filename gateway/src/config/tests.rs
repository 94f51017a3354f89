//! Tests that read the configuration from folders, as the server does when it starts.

mod cli_keys;
mod cloch_values;
mod database;
mod env;
mod links;
mod nats;
mod other_names;
mod providers;
mod weak_keys;

use std::path::Path;

use super::*;

struct Folder(PathBuf);

impl Folder {
    fn new(config: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cloch-config-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("config.toml"), config).unwrap();
        Self(path)
    }

    fn read(&self, variables: &[(&str, &str)]) -> Result<Config, String> {
        let flags = Flags { project: Some(self.0.clone()), ..Flags::default() };
        let environment =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Config::read(&flags, environment).map_err(|error| error.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn errors_name_file_line_key_and_what_is_allowed() {
    let refused = |config: &str| Folder::new(config).read(&[]).unwrap_err();
    let error = refused("[auth]\npassword_requirements = \"long\"\n");
    assert!(error.contains("config.toml, line 2: auth.password_requirements"), "{error}");
    assert!(error.contains("letters_digits"), "{error}");
    let error = refused("[storage]\nfile_size_limit = \"big\"\n");
    assert!(error.contains("line 2: storage.file_size_limit") && error.contains("50MiB"), "{error}");
    let error = Folder::new("").read(&[("CLOCH_JWT_SECRET", "short")]).unwrap_err();
    assert!(error.contains("16") && !error.contains("short\""), "{error}");
    let error = Folder::new("").read(&[("CLOCH_LOG_FORMAT", "xml")]).unwrap_err();
    assert!(error.contains("json"), "{error}");
}

#[test]
fn a_wrong_type_is_named_in_the_words_of_the_file_with_its_value() {
    let refused = |cloch: &str| {
        let folder = Folder::new("");
        std::fs::write(folder.0.join("cloch.toml"), cloch).unwrap();
        folder.read(&[]).unwrap_err()
    };
    let error = refused("[server]\nrequest_timeout = \"20s\"\n");
    assert!(error.contains("server.request_timeout: \"20s\" is written where a whole number"), "{error}");
    let error = refused("[server]\ntrusted_proxies = [\"10.0.0.0/33\"]\n");
    assert!(error.contains("\"10.0.0.0/33\" is written where a network such as 10.0.0.0/8"), "{error}");
    let error = refused("[dashboard]\nenabled = \"yes\"\n");
    assert!(error.contains("\"yes\" is written where true or false is expected"), "{error}");
    let error = Folder::new("").read(&[("CLOCH_SITE_URL", "localhost:3000")]).unwrap_err();
    assert!(error.contains("CLOCH_SITE_URL") && error.contains("has no host"), "{error}");
}

#[test]
fn a_misspelt_key_of_cloch_toml_is_refused_and_one_of_config_toml_named() {
    let folder = Folder::new("project_id = \"a\"\n[functions.mail]\n");
    for (cloch, expected) in [
        (
            "[server]\ntrusted_proxy = []\n",
            "line 2: the key server.trusted_proxy is unknown; did you mean trusted_proxies?",
        ),
        ("[server]\nbody_limt = 1\n", "line 2: the key server.body_limt is unknown; did you mean body_limit?"),
        ("[sever]\nhost = \"::\"\n", "line 1: the key sever is unknown; did you mean server?"),
        ("[limits.visitor]\nrows_per_hour = 1\n", "line 1: the key limits.visitor is unknown; did you mean visitors?"),
        (
            "[limits.visitors]\nrow_per_hour = 1\n",
            "the key limits.visitors.row_per_hour is unknown; did you mean rows_per_hour?",
        ),
        (
            "[storage]\nsweep_intervall = 1\n",
            "the key storage.sweep_intervall is unknown; did you mean sweep_interval?",
        ),
        (
            "[functions.mail]\nallowed_recipient = []\n",
            "line 2: the key functions.mail.allowed_recipient is unknown; did you mean allowed_recipients?",
        ),
        ("[functions.mial]\n", "line 1: the key functions.mial is unknown; did you mean mail?"),
        ("[ai]\nbase_ulr = \"\"\n", "line 2: the key ai.base_ulr is unknown; did you mean base_url?"),
    ] {
        std::fs::write(folder.0.join("cloch.toml"), cloch).unwrap();
        let error = folder.read(&[]).unwrap_err();
        assert!(error.contains("cloch.toml, line") && error.contains(expected), "{cloch}: {error}");
    }
    std::fs::write(folder.0.join("cloch.toml"), "[web.settings]\nanything = 1\n[functions.mail]\n").unwrap();
    assert!(folder.read(&[]).unwrap().warnings.is_empty());

    let warnings = Folder::new("[stuido]\n[realtime]\nip_verison = \"IPv6\"\n").read(&[]).unwrap().warnings;
    for expected in [
        "config.toml, line 1: the key stuido is unknown; did you mean studio? It has no effect",
        "config.toml, line 3: the key realtime.ip_verison is unknown; did you mean ip_version? It has no effect",
    ] {
        assert!(warnings.iter().any(|warning| warning.ends_with(expected)), "{expected}: {warnings:#?}");
    }
    assert_eq!(warnings.len(), 2, "{warnings:#?}");
}

#[test]
fn a_key_of_cloch_toml_in_config_toml_stops_the_start() {
    let config = "[backup]\nto = \"/mnt/backup\"\n[storage]\nquota = \"1GiB\"\n[limits.visitors]\nrows_per_hour = 5\n";
    let folder = Folder::new(config);
    let error = folder.read(&[]).unwrap_err();
    for expected in [
        "config.toml, line 1: the key backup has no effect in this file: move it to cloch.toml",
        "line 4: the key storage.quota has no effect in this file: move it to cloch.toml",
        "the key limits has no effect in this file: move it to cloch.toml",
    ] {
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let error = Folder::new("[functions.mail]\nallowed_networks = [\"10.0.0.0/8\"]\n").read(&[]).unwrap_err();
    let expected = "line 2: the key functions.mail.allowed_networks has no effect in this file: move it to cloch.toml";
    assert!(error.contains(expected), "{error}");
    std::fs::write(
        folder.0.join("cloch.toml"),
        "[server]\nignored_keys = [\"backup\", \"storage.quota\", \"limits\"]\n",
    )
    .unwrap();
    assert_eq!(folder.read(&[]).unwrap().warnings.len(), 3, "they are warnings then");
}

#[test]
fn an_unknown_key_that_could_close_something_stops_the_start() {
    let config = "[auth]\njwt_exspiry = 5\nnew_lock = true\n[functions.mail]\nverify_jtw = true\n[storage.buckets.a]\npublik = false\n";
    let folder = Folder::new(config);
    let error = folder.read(&[]).unwrap_err();
    for expected in [
        "config.toml, line 2: the key auth.jwt_exspiry is unknown; did you mean jwt_expiry? It could close",
        "config.toml, line 3: the key auth.new_lock is unknown. It could close",
        "config.toml, line 5: the key functions.mail.verify_jtw is unknown; did you mean verify_jwt? It could close",
        "config.toml, line 7: the key storage.buckets.a.publik is unknown; did you mean public? It could close",
    ] {
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let ignored = "[server]\nignored_keys = [\"auth.jwt_exspiry\", \"auth.new_lock\", \"functions.mail.verify_jtw\", \"storage.buckets.a.publik\"]\n";
    std::fs::write(folder.0.join("cloch.toml"), ignored).unwrap();
    assert_eq!(folder.read(&[]).unwrap().warnings.len(), 4, "they are warnings then");
    for (section, meant) in [
        ("Auth", "auth"),
        ("auht", "auth"),
        ("apii", "api"),
        ("function.mail", "functions"),
        ("stroage.buckets.a", "storage"),
        ("storage.bukets.a", "buckets"),
    ] {
        let error = Folder::new(&format!("[{section}]\nx = false\n")).read(&[]).unwrap_err();
        assert!(error.contains(&format!("did you mean {meant}? It could close")), "{section}: {error}");
    }
}

/// Projects keep a hook or provider that they do not use, with keys of another version of the Supabase CLI.
#[test]
fn an_unknown_key_of_a_section_that_is_switched_off_is_a_warning() {
    let off = "[auth.hook.send_email]\nenabled = false\nuri = \"http://127.0.0.1/hook\"\nsecret = \"x\"\n[auth.external.newest]\nenabled = false\nscope = \"y\"\n[functions.mail]\nenabled = false\nverify_jtw = true\n";
    let warnings = Folder::new(off).read(&[]).unwrap().warnings;
    for expected in
        ["auth.hook.send_email.secret is unknown", "auth.external.newest", "functions.mail.verify_jtw is unknown"]
    {
        assert!(warnings.iter().any(|warning| warning.contains(expected)), "{expected}: {warnings:?}");
    }
    for on in [
        "[auth.hook.send_email]\nenabled = true\nuri = \"http://127.0.0.1/hook\"\nsecret = \"x\"\n",
        "[auth.hook.send_email]\nenabeld = true\n",
        "[auth.email]\nenabled = false\nnew_lock = true\n",
        "[auth]\nenabled = false\nnew_lock = true\n",
    ] {
        assert!(Folder::new(on).read(&[]).unwrap_err().contains("It could close"), "{on}");
    }
}

/// The keys are those of the Supabase CLI's schema of config.toml (`[auth.email] enabled`, `[auth.sms] enabled`, `[local_smtp]`,
/// `[db.ssl_enforcement]`).
#[test]
fn switches_of_a_newer_cli_are_read() {
    let read = |config: &str| {
        Folder::new(config).read(&[]).map(|config| (config.file.auth, config.cloch.auth, config.warnings))
    };
    let (auth, _, warnings) =
        read("[auth.email]\nenabled = false\n[auth.sms]\nenabled = true\n[local_smtp]\nport = 54324\n").unwrap();
    assert!(!auth.email.enable_signup && auth.sms.enable_signup && warnings.is_empty(), "{warnings:?}");
    let (auth, _, _) =
        read("[auth.email]\nenabled = true\nenable_signup = true\n[auth.sms]\nenabled = false\n").unwrap();
    assert!(auth.email.enable_signup && !auth.sms.enable_signup);
    let error = read("[auth.sms]\nenable_signup = false\nenabled = true\n").unwrap_err();
    assert!(error.contains("line 3: auth.sms.enabled: is true, and enable_signup beside it"), "{error}");
    let (_, cloch, _) = read("[auth.email]\nrequire_current_password = true\n").unwrap();
    assert!(cloch.require_current_password);
    let (auth, _, _) = read("[auth.sms]\notp_length = 8\notp_expiry = 60\n").unwrap();
    assert_eq!((auth.sms.code_digits(), auth.sms.code_expiry()), (8, 60));
    let (_, _, warnings) = read(
        "[db.ssl_enforcement]\nenabled = true\n[db.network_restrictions]\nenabled = true\n[api.tls]\nenabled = true\n",
    )
    .unwrap();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(
        warnings.iter().any(|warning| warning
            .contains("line 2: db.ssl_enforcement.enabled has no effect: it would have refused connections")),
        "{warnings:?}"
    );
    assert!(read("[db.ssl_enforcement]\nenabled = false\n").unwrap().2.is_empty());
}

#[test]
fn a_named_folder_must_hold_a_project() {
    let folder = Folder::new("");
    std::fs::create_dir(folder.0.join("supabase")).unwrap();
    std::fs::rename(folder.0.join("config.toml"), folder.0.join("supabase/config.toml")).unwrap();
    let config = folder.read(&[]).unwrap();
    assert_eq!(config.project, folder.0.join("supabase"));
    std::fs::remove_file(folder.0.join("supabase/config.toml")).unwrap();
    let error = folder.read(&[]).unwrap_err();
    assert!(
        error.contains("contains no config.toml and no migrations, and neither does a folder supabase/ in it"),
        "{error}"
    );
}

#[test]
fn lost_secrets_are_not_made_anew() {
    let folder = Folder::new("");
    let data = folder.0.join("data");
    std::fs::create_dir_all(data.join("db")).unwrap();
    std::fs::write(data.join("db/PG_VERSION"), "15\n").unwrap();
    let config = folder.read(&[("CLOCH_DATA_DIR", data.to_str().unwrap())]).unwrap();
    let error = config.secrets().unwrap_err().to_string();
    assert!(error.contains("secrets.toml is missing") && error.contains("cloch keys make"), "{error}");
    assert!(!config.secrets_file().exists());
}

#[test]
fn a_file_with_a_project_id_only_has_the_clis_defaults() {
    let config = Folder::new("project_id = \"club\"\n").read(&[]).unwrap();
    assert_eq!((config.port, config.project_id.as_str()), (54321, "club"));
    assert_eq!(config.file.api.schemas, ["public", "graphql_public"]);
    assert_eq!(Folder::new("[api]\nschemas = []\n").read(&[]).unwrap().file.api.schemas, ["public"]);
    assert!(matches!(config.database, DatabaseChoice::Embedded { port: 54322, .. }));
    assert_eq!(config.url("/rest/v1"), "http://127.0.0.1:54321/rest/v1");
}

#[test]
fn variables_win_over_files() {
    let folder = Folder::new("[auth]\nsite_url = \"http://a.example\"\n");
    let config = folder.read(&[("CLOCH_SITE_URL", "https://b.example"), ("CLOCH_DATA_DIR", "/data")]).unwrap();
    assert_eq!(config.file.auth.site_url, "https://b.example");
    assert_eq!(config.data, Path::new("/data"));
}

#[test]
fn links_follow_the_port_of_the_command_line() {
    let folder = Folder::new(
        "[api]\nport = 54321\n[auth]\nsite_url = \"http://127.0.0.1:54321\"\nadditional_redirect_urls = [\"http://localhost:54321/**\", \"https://club.example/**\"]\n",
    );
    std::fs::write(
        folder.0.join("cloch.toml"),
        "[web.settings]\nwebsiteUrl = \"http://127.0.0.1:54321\"\nclubEmail = \"a@example.org\"\n",
    )
    .unwrap();
    let flags = Flags { project: Some(folder.0.clone()), port: Some(6000), ..Flags::default() };
    let read = |variables: &[(&str, &str)]| {
        let environment =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Config::read(&flags, environment).unwrap()
    };
    let config = read(&[]);
    assert_eq!(config.file.auth.site_url, "http://127.0.0.1:6000");
    assert_eq!(config.url("/auth/v1"), "http://127.0.0.1:6000/auth/v1");
    assert!(config.file.auth.additional_redirect_urls.contains(&"http://localhost:6000/**".to_owned()));
    assert!(config.file.auth.additional_redirect_urls.contains(&"https://club.example/**".to_owned()));
    let settings = &config.cloch.web.settings;
    assert_eq!(
        (settings["websiteUrl"].as_str(), settings["clubEmail"].as_str()),
        (Some("http://127.0.0.1:6000"), Some("a@example.org"))
    );
    // `CLOCH_SITE_URL` takes precedence over the moved port.
    assert_eq!(read(&[("CLOCH_SITE_URL", "http://127.0.0.1:54321")]).file.auth.site_url, "http://127.0.0.1:54321");
}

#[test]
fn the_web_app_is_told_how_long_backups_hold_what_was_deleted() {
    let told = |cloch: &str| {
        let folder = Folder::new("");
        std::fs::write(folder.0.join("cloch.toml"), cloch).unwrap();
        let config = folder.read(&[("CLOCH_ALLOW_PATHS", "/mnt")]).unwrap();
        let told = config.cloch.web.settings.get("backupDays").and_then(|days| days.as_str().map(str::to_owned));
        (told, warnings::of(&config).into_iter().map(|warning| warning.key.into_owned()).collect::<Vec<String>>())
    };
    let backup = "[backup]\nto = \"/mnt/backup\"\nencrypt_to = \"a passphrase of some length\"\n";
    assert_eq!(told(""), (None, vec![]));
    assert_eq!(told("[web.settings]\nbackupDays = \"30\"\n"), (Some("30".into()), vec![]));
    assert_eq!(told(backup), (Some("374".into()), vec![]));
    let short = format!("{backup}[backup.keep]\ndays = 20\nweeks = 0\nmonths = 0\n");
    assert_eq!(told(&short), (Some("22".into()), vec![]));
    // A `backupDays` that is shorter than the retention of backups causes a warning.
    let promised = |days: u32| told(&format!("{short}[web.settings]\nbackupDays = \"{days}\"\n"));
    assert_eq!(promised(30), (Some("30".into()), vec![]));
    assert_eq!(promised(21), (Some("21".into()), vec!["web.settings.backupDays".into()]));
}

#[test]
fn a_judging_password_is_made_for_the_clubs_project_only() {
    let secrets_file = |config: &str, data: &Folder| {
        let folder = Folder::new(config);
        let mut config = folder.read(&[]).unwrap();
        config.data = data.0.clone();
        config.secrets().unwrap();
        std::fs::read_to_string(config.secrets_file()).unwrap()
    };
    let club = "[functions.validate-judging-password]\n";
    let data = Folder::new("");
    let other = secrets_file("[functions.send-email]\n[functions.send-invite]\n", &data);
    assert!(!other.to_ascii_lowercase().contains("judging"), "{other}");
    // No password is generated for the judges if the project sets JUDGING_PASSWORD itself.
    let own = secrets_file(&format!("{club}[edge_runtime.secrets]\nJUDGING_PASSWORD = 'The Clyde at dawn'\n"), &data);
    assert_eq!(own, other);
    let made = secrets_file(club, &data);
    assert!(made.contains("[functions]\nJUDGING_PASSWORD = \""), "{made}");
    assert_eq!(secrets_file(club, &data), made);
}

#[test]
fn an_empty_address_is_none() {
    let config = "[api]\nexternal_url = \"\"\n[auth]\nexternal_url = \"\"\njwt_issuer = \"\"\n";
    let config = Folder::new(config).read(&[]).unwrap();
    assert_eq!(
        (config.file.api.external_url, config.file.auth.external_url, config.file.auth.jwt_issuer),
        (None, None, None)
    );
}

#[test]
fn the_server_finds_the_name_of_its_certificate_and_the_address_that_people_use() {
    let read = |config: &str, cloch: &str, port: Option<u16>| {
        let folder = Folder::new(config);
        std::fs::write(folder.0.join("cloch.toml"), cloch).unwrap();
        let flags = Flags { project: Some(folder.0.clone()), port, ..Flags::default() };
        Config::read(&flags, |_| None).map_err(|error| error.to_string())
    };
    let named = read(
        "",
        "[server]\ntls = \"acme\"\nacme.domains = [\"Club.example\", \"club.example\", \"a.example\"]\n",
        None,
    )
    .unwrap();
    assert_eq!(named.acme.as_ref().unwrap().domains, ["club.example", "a.example"]);
    assert_eq!((named.external_url.as_str(), named.port), ("https://club.example/", 54321));
    assert!(named.is_public());
    let acme = "[server]\ntls = \"acme\"\n";
    for (config, domain, url) in [
        ("[api]\nexternal_url = \"https://api.club.example\"\n", "api.club.example", "https://api.club.example/"),
        ("[auth]\nsite_url = \"https://club.example\"\n", "club.example", "https://club.example/"),
    ] {
        let derived = read(config, acme, Some(443)).unwrap();
        assert_eq!(derived.acme.as_ref().unwrap().domains, [domain]);
        assert_eq!((derived.external_url.as_str(), derived.port), (url, 54321), "--port 443 is that of HTTPS");
    }
    assert_eq!(read("[auth]\nsite_url = \"https://club.example\"\n", acme, Some(6000)).unwrap().port, 6000);
    let error = read("", acme, None).unwrap_err();
    assert!(error.contains("server.acme.domains: name the domain"), "{error}");
    let error = read("[api]\nport = 443\n[auth]\nsite_url = \"https://club.example\"\n", acme, None).unwrap_err();
    assert!(error.contains("api.port: is the port of HTTPS"), "{error}");
    let files = read("", "[server.tls]\nlisten = \"0.0.0.0:443\"\ncertificate = \"a\"\nkey = \"b\"\n", None).unwrap();
    assert!(files.acme.is_none() && matches!(files.cloch.server.tls, Some(TlsSetting::Files(_))));
    let error = read(
        "",
        "[server.tls]\nlisten = \"0.0.0.0:443\"\ncertificat = \"a\"\ncertificate = \"a\"\nkey = \"b\"\n",
        None,
    )
    .unwrap_err();
    assert!(error.contains("server.tls.certificat is unknown; did you mean certificate?"), "{error}");
    let redirect = "[server]\nredirect_http = \"0.0.0.0:80\"\n";
    for nowhere in ["", "[api]\nexternal_url = \"http://club.example\"\n"] {
        let error = read(nowhere, redirect, None).unwrap_err();
        assert!(error.contains("server.redirect_http: leads to the address that people use"), "{error}");
    }
    read("[api]\nexternal_url = \"https://club.example\"\n", redirect, None).unwrap();
    read("[auth]\nsite_url = \"https://club.example\"\n", &format!("{redirect}tls = \"acme\"\n"), None).unwrap();
}
