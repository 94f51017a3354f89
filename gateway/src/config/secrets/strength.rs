//! Rule for the strength of the secret that signs tokens, for every source: secrets.toml, `CLOCH_JWT_SECRET`, `[auth] jwt_secret`,
//! and the secret of an imported project.

/// Minimum length in characters, that of the Supabase CLI.
const MIN_CHARS: usize = 16;
/// Minimum number of different characters. A random secret of hexadecimal digits has more with a probability above 0.999.
const MIN_DIFFERENT: usize = 6;

/// Checks the strength of a secret.
///
/// # Errors
/// If the secret is too short, or repeats a few characters. The text does not contain the secret.
pub(crate) fn check(secret: &str) -> Result<(), String> {
    let length = secret.chars().count();
    let different = secret.chars().collect::<std::collections::BTreeSet<_>>().len();
    let fault = match (length, different) {
        (0..MIN_CHARS, _) => format!("must have at least {MIN_CHARS} characters, better 32, and has {length}"),
        (_, 0..MIN_DIFFERENT) => {
            format!("must have at least {MIN_DIFFERENT} different characters, and has {different}")
        }
        _ => return Ok(()),
    };
    Err(format!("{fault}: whoever guesses it can sign tokens of every role. `openssl rand -hex 32` prints a good one"))
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
        for secret in [cloch_sql::caller::cli_keys::JWT_SECRET, "0123456789abcdef", "Gourock und Ünder"] {
            assert!(check(secret).is_ok(), "{secret:?}");
        }
    }
}
