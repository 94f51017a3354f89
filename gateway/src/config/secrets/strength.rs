//! Rules for secrets from every source: secrets.toml, environment variables, config.toml, cloch.toml, and the keys of an imported project. A
//! secret that clients send to Cloch must be hard to guess. A secret that a third party has issued must only be present and not be a
//! placeholder, because Cloch cannot choose its strength.

use cloch_sql::caller::cli_keys;

/// Minimum length of a key in characters; the Supabase CLI has the same minimum.
const MIN_CHARS: usize = 16;
/// Minimum length of a passphrase in characters.
const MIN_PASSPHRASE_CHARS: usize = 12;
/// Minimum number of different characters in a secret. A random hexadecimal secret contains more different characters than this with a
/// probability above 0.999.
const MIN_DIFFERENT: usize = 6;
/// Beginnings of texts that documentation and templates contain where a secret belongs, in lower case without punctuation.
const PLACEHOLDER_BEGINNINGS: [&str; 8] =
    ["your", "changeme", "changethis", "replaceme", "replacethis", "inserthere", "insertyour", "placeholder"];
/// Secrets of widely copied examples, in lower case without punctuation.
const EXAMPLES: [&str; 12] = [
    // Documentation of AWS.
    "akiaiosfodnn7example",
    "wjalrxutnfemik7mdengbpxrficyexamplekey",
    // Documentation of passphrases.
    "correcthorsebatterystaple",
    "passphrase",
    "mypassphrase",
    "averylongpassphrase",
    "alongpassphrase",
    "password",
    "passwordpassword",
    "secretsecret",
    "todo",
    "example",
];

/// Checks the strength of a key that gives access to this server.
///
/// # Errors
/// If the key is a known example, is too short, or repeats a few characters. The message does not contain the key.
pub(crate) fn check(secret: &str) -> Result<(), String> {
    let length = secret.chars().count();
    let fault = match (length, different(secret)) {
        (0..MIN_CHARS, _) => format!("must have at least {MIN_CHARS} characters, better 32, and has {length}"),
        (_, different @ 0..MIN_DIFFERENT) => {
            format!("must have at least {MIN_DIFFERENT} different characters, and has {different}")
        }
        _ if is_example(secret) => "is the text of an example, which everybody knows".to_owned(),
        _ => return Ok(()),
    };
    Err(format!("{fault}: whoever guesses it can sign tokens of every role. `openssl rand -hex 32` prints a good one"))
}

/// Checks the strength of a passphrase that encrypts data. Attackers can copy the encrypted data and try passphrases without a limit.
///
/// # Errors
/// If the passphrase is a known example, is too short, or repeats a few characters. The message does not contain the passphrase.
pub(crate) fn check_passphrase(passphrase: &str) -> Result<(), String> {
    let (length, different) = (passphrase.chars().count(), different(passphrase));
    let fault = match (length, different) {
        (0..MIN_PASSPHRASE_CHARS, _) => format!("needs {MIN_PASSPHRASE_CHARS} characters, and has {length}"),
        (_, 0..MIN_DIFFERENT) => format!("needs {MIN_DIFFERENT} different characters, and has {different}"),
        _ if is_example(passphrase) || is_sequence(passphrase) => "is one that everybody tries first".to_owned(),
        _ => return Ok(()),
    };
    Err(format!(
        "the passphrase {fault}: who has the backup can try as many as they like. `openssl rand -hex 32` prints a good one"
    ))
}

/// Checks a secret that a third party has issued, such as the password of a mail server.
///
/// # Errors
/// If the secret is empty or a placeholder. The message does not contain the secret.
pub(crate) fn check_issued(secret: &str) -> Result<(), String> {
    match secret.trim() {
        "" => Err("is empty".to_owned()),
        text if is_placeholder(text) => {
            Err("is the text of an example: write the value that its provider shows".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether a secret is one of the well-known secrets that the Supabase CLI gives every local project.
pub(crate) fn is_the_clis(secret: &str) -> bool {
    secret == cli_keys::JWT_SECRET || cli_keys::named(secret).is_some()
}

fn different(secret: &str) -> usize {
    secret.chars().collect::<std::collections::BTreeSet<_>>().len()
}

fn is_example(secret: &str) -> bool {
    is_placeholder(secret) || EXAMPLES.contains(&plain(secret).as_str())
}

/// Whether a text is a placeholder for a secret. `password` and similar words do not count, because a test server may use
/// them.
fn is_placeholder(text: &str) -> bool {
    let plain = plain(text);
    let is_repeated = text.chars().count() > 2 && text.chars().all(|one| matches!(one, 'x' | 'X' | '*' | '.' | '…'));
    let is_bracketed = text.starts_with('<') && text.ends_with('>');
    // `your` counts only if a separator follows, because a random secret may begin with these letters.
    let is_yours =
        text.to_lowercase().starts_with("your") && text.chars().nth(4).is_some_and(|next| !next.is_alphanumeric());
    let begins = |beginning: &&str| if *beginning == "your" { is_yours } else { plain.starts_with(*beginning) };
    let is_of_aws = EXAMPLES.iter().take(2).any(|example| plain == *example);
    is_repeated || is_bracketed || is_of_aws || PLACEHOLDER_BEGINNINGS.iter().any(begins)
}

/// Whether the text is a sequence of adjacent characters, such as `123456789012` or `abcdefghijkl`.
fn is_sequence(text: &str) -> bool {
    let digits_or_letters: Vec<u32> = text.to_lowercase().chars().map(u32::from).collect();
    let steps = digits_or_letters.windows(2);
    let next = steps.filter(|pair| matches!(pair, [one, other] if *other == one + 1 || (*one == 57 && *other == 48)));
    next.count() + 1 >= digits_or_letters.len()
}

fn plain(text: &str) -> String {
    text.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_repeated_secrets_are_refused() {
        for secret in ["", "short", "fifteen letters", &"a".repeat(64)] {
            assert!(check(secret).is_err(), "{secret:?}");
        }
        assert!(check("aabbaabbaabbaabbaabb").unwrap_err().contains("different"));
        for secret in [cli_keys::JWT_SECRET, "0123456789abcdef", "Gourock und Ünder", "yourself-and-others-2026"] {
            assert!(check(secret).is_ok(), "{secret:?}");
        }
    }

    #[test]
    fn the_secrets_of_examples_are_refused() {
        for secret in [
            "your-super-secret-jwt-token-with-at-least-32-characters-long",
            "change-me-to-something-long",
            "<a long secret text>",
        ] {
            assert!(check(secret).unwrap_err().contains("example"), "{secret:?}");
            assert!(check_issued(secret).unwrap_err().contains("example"), "{secret:?}");
        }
        for key in [cli_keys::JWT_SECRET, cli_keys::SECRET_KEY, cli_keys::SERVICE_ROLE_KEY] {
            assert!(is_the_clis(key));
        }
        assert!(!is_the_clis("sb_secret_other"));
    }

    #[test]
    fn passphrases_that_are_tried_first_are_refused() {
        for passphrase in [
            "",
            "short",
            "aaaaaaaaaaaa",
            "correct horse battery staple",
            "password password",
            "123456789012",
            "abcdefghijkl",
        ] {
            let error = check_passphrase(passphrase).unwrap_err();
            assert!(
                error.starts_with("the passphrase ") && (passphrase.is_empty() || !error.contains(passphrase)),
                "{error}"
            );
        }
        for passphrase in ["a passphrase that is long enough", "The Clyde at dawn", "0b6b3fdcb05e"] {
            assert!(check_passphrase(passphrase).is_ok(), "{passphrase:?}");
        }
    }

    #[test]
    fn a_third_partys_secret_may_be_short_but_not_a_placeholder() {
        for secret in
            ["", " ", "your-smtp-password", "YOUR_API_KEY", "xxxxxxxx", "...", "changeme", "AKIAIOSFODNN7EXAMPLE"]
        {
            assert!(check_issued(secret).is_err(), "{secret:?}");
        }
        for secret in ["a", "test", "minioadmin", "youthful", "SG.x1y2", "password"] {
            assert!(check_issued(secret).is_ok(), "{secret:?}");
        }
    }
}
