//! Tests of values of cloch.toml that have the right type and would have a surprising effect.

use super::*;
use crate::setup::checks;

fn read(cloch: &str) -> Result<Config, String> {
    let folder = Folder::new("");
    std::fs::write(folder.0.join("cloch.toml"), cloch).unwrap();
    folder.read(&[("CLOCH_PROJECT_ENV", "*"), ("CLOCH_ALLOW_PATHS", "/tmp")])
}

#[test]
fn values_with_a_surprising_effect_are_refused_with_their_line() {
    for (line, words) in [
        ("[backup]\nto = \"\"", "line 2: backup.to: is empty"),
        ("[backup]\nto = \"  \"", "line 2: backup.to: is empty"),
        ("[backup]\nevery_hours = 0", "line 2: backup.every_hours: must be at least 1"),
        ("[backup]\nmax_rate = 31", "line 2: backup.max_rate: must be a number of kilobytes from 32 to 1048576"),
        ("[storage]\nfolder = \"  \"", "line 2: storage.folder: is empty"),
        ("[storage]\nfolder = \"s3://files\"", "line 2: storage.folder: is a URL, not a path"),
        ("[storage]\npublic_host = \"files.example:port\"", "is no host name with an optional port"),
        ("[auth]\nsms_api = \"sms.example:443\"", "line 2: auth.sms_api: must begin with https://"),
        ("[auth]\ncaptcha_api = \"ftp://captcha.example\"", "line 2: auth.captcha_api: must begin with https://"),
    ] {
        let Err(error) = read(line) else { panic!("{line} is accepted") };
        assert!(error.contains(words), "{line}: {error}");
    }
    for line in [
        "[storage]\npublic_host = \"files.example:8443\"",
        "[storage]\npublic_host = \"[::1]:80\"",
        "[backup]\nmax_rate = 32",
    ] {
        assert!(read(line).is_ok(), "{line}");
    }
}

/// Otherwise, the value would be the text `env(NAME)`: backups would be written into a folder of this name in the project.
#[test]
fn the_server_does_not_start_with_a_variable_that_is_not_set() {
    let refused = |cloch: &str| checks::settings(&read(cloch).unwrap()).err().map(|error| error.to_string());
    let error =
        refused("[telemetry]\nlog_drain = \"https://logs.example\"\nlog_drain_authorization = \"env(SECRET)\"\n")
            .unwrap();
    assert!(
        error.contains("line 3: telemetry.log_drain_authorization") && error.contains("SECRET, which is not set"),
        "{error}"
    );
    let of_feature =
        "[ai]\napi_key = \"env(KEY)\"\n[web.settings]\nid = \"env(ID)\"\n[backup]\nencrypt_to = \"env(PASSPHRASE)\"\n";
    assert_eq!(refused(of_feature), None);
    let target = read("[backup]\nto = \"env(TARGET)\"\nencrypt_to = \"a long passphrase of words\"\n").unwrap();
    let error = crate::setup::backup::check(&target).unwrap_err().to_string();
    assert!(error.contains("takes the target from TARGET, which is not set"), "{error}");
}

#[test]
fn what_is_allowed_and_rarely_meant_is_a_warning() {
    let keys = |cloch: &str| {
        warnings::of(&read(cloch).unwrap()).into_iter().map(|warning| warning.key.into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys("[backup]\nencrypt_to = \"a long passphrase of words\"\n"), ["backup.to"]);
    assert_eq!(keys("[storage]\nsweep_grace = 59\n"), ["storage.sweep_grace"]);
    assert_eq!(keys("[storage]\nsweep_grace = 60\n"), [""; 0]);
}

#[test]
fn files_are_not_stored_in_the_folder_of_the_database() {
    let folder = Folder::new("");
    let objects = folder.0.join("data/db/objects");
    std::fs::write(folder.0.join("cloch.toml"), format!("[storage]\nfolder = \"{}\"\n", objects.display())).unwrap();
    let flags = Flags { project: Some(folder.0.clone()), data: Some(folder.0.join("data")), ..Flags::default() };
    let config = Config::read(&flags, |_| None).unwrap();
    assert!(
        checks::settings(&config).unwrap_err().to_string().contains("storage.folder is in the folder of the database")
    );
}

/// GoTrue does not start otherwise (`CaptchaConfiguration.Validate`). Before, another service would have received the secret.
#[test]
fn an_enabled_captcha_has_a_known_service_and_a_secret() {
    let refused = |lines: &str| {
        let config = Folder::new(&format!("[auth.captcha]\nenabled = true\n{lines}")).read(&[]).unwrap();
        checks::settings(&config).err().map(|error| error.to_string())
    };
    let error = refused("provider = \"hcapcha\"\nsecret = \"0x4AAAAAAAA\"\n").unwrap();
    assert!(error.contains("captcha.provider: \"hcapcha\" is unknown: write hcaptcha or turnstile"), "{error}");
    assert!(refused("provider = \"turnstile\"\nsecret = \" \"\n").unwrap().contains("captcha.secret: is empty"));
    assert_eq!(refused("provider = \"turnstile\"\nsecret = \"0x4AAAAAAAA\"\n"), None);
    assert_eq!(refused("secret = \"0x4AAAAAAAA\"\n"), None);
}
