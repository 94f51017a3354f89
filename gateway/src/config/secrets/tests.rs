use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn a_function_secret_has_the_name_of_a_variable_that_the_server_does_not_set() {
    let mut secrets = Secrets::generate().unwrap();
    let value = Secret::new("a value");
    let long = "A".repeat(257);
    for name in ["", "1A", "A-B", "A B", "A=B", "Ä", "A\nB", "../A", &long] {
        assert!(secrets.set_function_secret(name, &value).unwrap_err().contains("letters, digits and _"), "{name}");
    }
    for name in ["SUPABASE_URL", "SUPABASE_", "supabase_url", "CLOCH_JWT_SECRET"] {
        assert!(secrets.set_function_secret(name, &value).unwrap_err().contains("cannot be or start with"), "{name}");
    }
    for value in ["", "a\0b", &"x".repeat(MAX_FUNCTION_SECRET_BYTES + 1)] {
        assert!(secrets.set_function_secret("A", &Secret::new(value)).is_err());
    }
    assert!(secrets.functions.is_empty());
    for name in ["A", "_a9", "RESEND_API_KEY", "SUPABASEX"] {
        secrets.set_function_secret(name, &value).unwrap();
    }
    for number in secrets.functions.len()..MAX_FUNCTION_SECRETS {
        secrets.set_function_secret(&format!("N{number}"), &value).unwrap();
    }
    assert!(secrets.set_function_secret("ONE_MORE", &value).is_err());
    secrets.set_function_secret("A", &Secret::new("another")).unwrap();
    let read: Secrets = toml::from_str(&toml::to_string(&secrets).unwrap()).unwrap();
    assert_eq!((read.functions.len(), read.functions.get("A").unwrap().as_str()), (100, "another"));
}

#[test]
fn the_clis_keys_open_neither_the_management_api_nor_the_inbox() {
    let own = Secrets::generate().unwrap();
    let secret = Some(Secret::new(cloch_sql::caller::cli_keys::JWT_SECRET));
    let known = KeyOverrides { jwt_secret: secret, ..Default::default() };
    let token = |secrets: &Secrets| secrets.access_token().unwrap().expose().to_owned();
    assert_ne!(token(&own.clone().overridden(&known).unwrap()), token(&own));
    let clis = KeyOverrides { are_the_clis: true, ..known };
    let secrets = own.clone().overridden(&clis).unwrap();
    assert_eq!((token(&secrets), secrets.jwt_secret.as_str()), (token(&own), cloch_sql::caller::cli_keys::JWT_SECRET));
    assert_eq!(secrets.inbox_key().unwrap().expose(), own.inbox_key().unwrap().expose());
    // With `--cli-keys`, the password of `postgres` is also that of the CLI, but only in memory, not in the file.
    assert_eq!(secrets.database.postgres, cloch_sql::caller::cli_keys::DATABASE_PASSWORD);
    assert_ne!(own.database.postgres, secrets.database.postgres);
}

#[test]
fn a_judging_password_of_an_earlier_version_is_kept() {
    let mut secrets = Secrets::generate().unwrap();
    assert!(secrets.make_judging_password() && !secrets.make_judging_password());
    let made = secrets.functions.remove(cloch_club::JUDGING_PASSWORD).unwrap();
    assert_eq!(made.len(), JUDGING_PASSWORD_CHARS);

    let file = format!("judging_password = \"The Clyde at dawn\"\n{}", toml::to_string(&secrets).unwrap());
    let mut old: Secrets = toml::from_str(&file).unwrap();
    assert!(old.functions.is_empty());
    // Returns false: the file may be read-only and needs no write.
    assert!(!old.make_judging_password());
    assert_eq!(old.functions.get(cloch_club::JUDGING_PASSWORD).unwrap(), "The Clyde at dawn");
}

#[test]
fn a_key_whose_line_was_removed_is_made_anew_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secrets.toml");
    let old = Secrets::load_or_create(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let leaked =
        ["postgres", "jwt_secret", "anon_key", "service_role_key", "secret_key", "s3_access_key", "s3_secret_key"];
    let kept = text.lines().filter(|line| !leaked.iter().any(|name| line.starts_with(&format!("{name} = "))));
    let lines: Vec<&str> = ["jwt_secret = \"another secret of 32 characters.\""].into_iter().chain(kept).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let new = Secrets::load_or_create(&file).unwrap();
    assert_eq!(new.publishable_key, old.publishable_key);
    assert!(new.secret_key.starts_with(SECRET) && new.secret_key != old.secret_key);
    assert!(new.s3_access_key != old.s3_access_key && new.s3_secret_key != old.s3_secret_key);
    assert_eq!(new.service_role_key, sign_key(&new.jwt_secret, "service_role").unwrap());
    assert_ne!(new.anon_key, old.anon_key);
    assert!(!new.database.postgres.is_empty() && new.database.postgres != old.database.postgres);
    let again = Secrets::load(&file).unwrap().unwrap();
    assert_eq!((again.secret_key, again.service_role_key), (new.secret_key, new.service_role_key));
}

#[test]
fn a_damaged_file_is_explained_without_quoting_it() {
    let file = std::env::temp_dir().join(format!("secrets-{}.toml", random(8)));
    std::fs::write(&file, "jwt_secret = 12345hunter2\n").unwrap();
    let error = Secrets::load(&file).unwrap_err().to_string();
    assert!(!error.contains("hunter2") && error.contains("line 1"), "{error}");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_weak_secret_is_refused_with_its_line_and_without_quoting_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secrets.toml");
    Secrets::load_or_create(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let weak = |line: &str| if line.starts_with("jwt_secret = ") { "jwt_secret = \"sh0rt\"" } else { line }.to_owned();
    let lines: Vec<String> = text.lines().map(weak).filter(|line| !line.starts_with("anon_key = ")).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let error = Secrets::load_or_create(&file).unwrap_err().to_string();
    let line = 1 + lines.iter().position(|line| line.starts_with("jwt_secret")).unwrap();
    assert!(error.contains(&format!("line {line}: jwt_secret: must have at least 16 characters")), "{error}");
    assert!(!error.contains("sh0rt"), "{error}");
}

#[test]
fn each_key_of_the_file_is_checked_and_the_clis_keys_are_for_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secrets.toml");
    let own = Secrets::load_or_create(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    for name in ["service_role_key", "secret_key", "s3_secret_key"] {
        let weak = |line: &str| match line.starts_with(&format!("{name} = ")) {
            true => format!("{name} = \"your-own-secret-key\""),
            false => line.to_owned(),
        };
        std::fs::write(&file, text.lines().map(weak).collect::<Vec<_>>().join("\n")).unwrap();
        let error = Secrets::load(&file).unwrap_err().to_string();
        assert!(error.contains(&format!("{name}: is the text of an example")), "{error}");
    }
    assert!(own.refuse_the_clis(true).is_ok());
    let known = Secrets { secret_key: cloch_sql::caller::cli_keys::SECRET_KEY.to_owned(), ..own };
    assert!(known.refuse_the_clis(false).is_ok());
    assert!(known.refuse_the_clis(true).unwrap_err().to_string().contains("everybody knows it"));
}

#[test]
fn made_once_and_private() {
    let file = std::env::temp_dir().join(format!("secrets-{}.toml", random(8)));
    let made = Secrets::load_or_create(&file).unwrap();
    let read = Secrets::load_or_create(&file).unwrap();
    assert_eq!(
        (made.jwt_secret, made.signing_keys.first().unwrap().d.clone()),
        (read.jwt_secret, read.signing_keys.first().unwrap().d.clone())
    );
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(made.publishable_key.len(), "sb_publishable_".len() + 31);
    std::fs::remove_file(file).unwrap();
}
