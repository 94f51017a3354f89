//! Reads the keys of the source project. If this project uses them, existing sessions and deployed apps stay valid after the import. The
//! keys are read from files or environment variables and not from arguments, because other users of the machine can read command lines.

use std::path::Path;

use cloch_core::Secret;
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::keys::{EcPrivateJwk, SigningKey};

use crate::config::{KeyOverrides, Secrets, check_key};
use crate::error::CommandError;

/// Keys of the source project. They replace the corresponding keys of this project.
#[derive(Default)]
pub(super) struct TakenOver {
    overrides: KeyOverrides,
    signing_keys: Vec<EcPrivateJwk>,
}

impl TakenOver {
    /// Reads the keys of the source project. The JWT secret and the signing keys are read from the given files or, if no file is given,
    /// from environment variables (`CLOCH_IMPORT_…`). The API keys are read from environment variables.
    ///
    /// # Errors
    /// When a file cannot be read or a value is invalid. The message does not contain the value.
    pub(super) fn read(secret: Option<&Path>, keys: Option<&Path>) -> Result<Self, CommandError> {
        let jwt_secret = value(secret, "CLOCH_IMPORT_JWT_SECRET")?;
        let service_role_key = value(None, "CLOCH_IMPORT_SERVICE_ROLE_KEY")?;
        let secret_key = value(None, "CLOCH_IMPORT_SECRET_KEY")?;
        let named = [("JWT secret", &jwt_secret), ("service_role key", &service_role_key), ("secret key", &secret_key)];
        for (name, secret) in named {
            let checked = secret.as_ref().map_or(Ok(()), |secret| check_key(secret.expose()));
            checked.map_err(|fault| format!("the {name} {fault}"))?;
        }
        let overrides = KeyOverrides {
            anon_key: value(None, "CLOCH_IMPORT_ANON_KEY")?,
            service_role_key,
            publishable_key: value(None, "CLOCH_IMPORT_PUBLISHABLE_KEY")?,
            secret_key,
            jwt_secret,
            are_the_clis: false,
        };
        let signing_keys = match value(keys, "CLOCH_IMPORT_JWT_KEYS")? {
            Some(text) => signing_keys(&text)?,
            None => Vec::new(),
        };
        Ok(Self { overrides, signing_keys })
    }

    pub(super) fn is_empty(&self) -> bool {
        let own = &self.overrides;
        let keys = [&own.jwt_secret, &own.anon_key, &own.service_role_key, &own.publishable_key, &own.secret_key];
        self.signing_keys.is_empty() && keys.iter().all(|key| key.is_none())
    }

    /// Returns `secrets`, the secrets of this project, with the keys of the source project in place of its own keys.
    ///
    /// # Errors
    /// When the JWT secret and the signing keys are not valid in combination.
    pub(super) fn applied(&self, secrets: Secrets) -> Result<Secrets, CommandError> {
        let mut secrets = secrets.overridden(&self.overrides)?;
        if !self.signing_keys.is_empty() {
            secrets.signing_keys.clone_from(&self.signing_keys);
        }
        KeyRing::new(Secret::new(&secrets.jwt_secret), &secrets.signing_keys)?;
        Ok(secrets)
    }
}

/// Reads a secret from a file or, if no file is given, from an environment variable. `None` if the variable is not set, or the value is
/// empty.
pub(crate) fn value(file: Option<&Path>, variable: &str) -> Result<Option<Secret>, CommandError> {
    let text = match file {
        Some(file) => Some(std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?),
        None => std::env::var(variable).ok(),
    };
    Ok(text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).map(Secret::new))
}

fn signing_keys(text: &Secret) -> Result<Vec<EcPrivateJwk>, CommandError> {
    let refused = "the signing keys are an array of private JSON Web Keys on the curve P-256, as `supabase gen signing-key` writes it";
    let keys = SigningKey::read(text.expose()).map_err(|_| refused)?;
    keys.into_iter()
        .map(|key| match key {
            SigningKey::Ec(key) => Ok(key),
            SigningKey::Rsa(_) => Err("RSA keys are named in config.toml: [auth] signing_keys_path".into()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn a_value_that_cannot_be_used_is_refused_without_quoting_it() {
        let short = file("hunter2\n");
        let broken = file("[{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"hunter2\"}]");
        for error in [
            TakenOver::read(Some(short.path()), None).err().unwrap().to_string(),
            TakenOver::read(None, Some(broken.path())).err().unwrap().to_string(),
            TakenOver::read(Some(Path::new("/nowhere/secret")), None).err().unwrap().to_string(),
        ] {
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn keys_of_the_source_replace_the_projects_own() {
        let secret = file("the secret of the source, 32 characters\n");
        let key = EcPrivateJwk::generate().unwrap();
        let jwk =
            serde_json::json!([{ "kty": "EC", "crv": "P-256", "kid": key.kid, "x": key.x, "y": key.y, "d": key.d }]);
        let keys = file(&jwk.to_string());
        let own = Secrets::generate().unwrap();
        let taken = TakenOver::read(Some(secret.path()), Some(keys.path())).unwrap();
        let applied = taken.applied(own.clone()).unwrap();
        assert_eq!(applied.jwt_secret, "the secret of the source, 32 characters");
        assert_ne!(applied.anon_key, own.anon_key);
        assert_eq!(applied.signing_keys.first().unwrap().kid, key.kid);
        assert_eq!(applied.database.postgres, own.database.postgres);
        assert!(!taken.is_empty() && TakenOver::default().is_empty());
    }
}
