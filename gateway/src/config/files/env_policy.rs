//! Policy for `env(NAME)` in a project's files: which environment variables of the server's process a project may read. The process's
//! environment may contain keys of other services, and the project may come from an untrusted author. The policy does not apply to variables
//! in the project's own `.env` files.

use std::collections::BTreeSet;

use crate::config::{ConfigError, TomlFile};

/// Environment variable with the names of the variables that the operator allows, separated by commas; `*` allows all variables except
/// Cloch's own variables.
const VARIABLE: &str = "CLOCH_PROJECT_ENV";
/// Prefix of environment variables that a project may read: the prefix of the variables in the Supabase CLI's template, such as
/// `SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET`.
const PREFIX_OF_PROJECTS: &str = "SUPABASE_";
/// Environment variables with the prefix `SUPABASE_` that a project may not read: credentials of the Supabase CLI, which may give access to
/// other projects.
const LOGINS_OF_THE_CLI: [&str; 6] = [
    "SUPABASE_ACCESS_TOKEN",
    "SUPABASE_DB_PASSWORD",
    "SUPABASE_DB_URL",
    "SUPABASE_JWT_SECRET",
    "SUPABASE_SECRET_KEY",
    "SUPABASE_SERVICE_ROLE_KEY",
];
/// Cloch's own environment variables that a project may read. Each has one key of cloch.toml that may refer to it.
const OWN: [(&str, &str); 4] = [
    ("backup.encrypt_to", "CLOCH_BACKUP_PASSPHRASE"),
    ("database.read_url", "CLOCH_READ_URL"),
    ("telemetry.otlp_authorization", "CLOCH_OTLP_AUTHORIZATION"),
    ("telemetry.log_drain_authorization", "CLOCH_LOG_DRAIN_AUTHORIZATION"),
];
/// Sections of config.toml that no code reads. Environment variables in these sections are not checked.
const UNREAD_SECTIONS: [&str; 6] = ["studio.", "experimental.", "analytics.", "inbucket.", "local_smtp.", "remotes."];

/// Environment variables that the operator allows.
#[derive(Clone, Debug)]
pub(in crate::config) struct EnvPolicy {
    allows_all: bool,
    names: BTreeSet<String>,
}

impl EnvPolicy {
    pub(in crate::config) fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = variable(VARIABLE).unwrap_or_default();
        let names: BTreeSet<String> =
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Self { allows_all: names.contains("*"), names }
    }

    /// Whether a project may read the variable `name` of the process's environment. Also returns true for Cloch's own variables in [`OWN`];
    /// [`Self::check`] refuses a reference to such a variable from any key except the key in [`OWN`].
    pub(in crate::config) fn permits(&self, name: &str) -> bool {
        if name.starts_with("CLOCH_") {
            return OWN.iter().any(|(_, own)| *own == name);
        }
        let is_projects = name.starts_with(PREFIX_OF_PROJECTS) && !LOGINS_OF_THE_CLI.contains(&name);
        self.allows_all || is_projects || self.names.contains(name)
    }

    /// Returns a function that looks up variables in the process's environment. Variables that are not permitted count as unset.
    pub(in crate::config) fn of_process<'a>(
        &'a self,
        environment: &'a impl Fn(&str) -> Option<String>,
    ) -> impl Fn(&str) -> Option<String> + 'a {
        move |name: &str| self.permits(name).then(|| environment(name)).flatten()
    }

    /// Refuses two kinds of references in a file: to a variable that is set but not permitted, and to one of Cloch's own variables from a
    /// key that may not read this variable.
    ///
    /// # Errors
    /// The error names file, line, key and variable, and describes how the operator can allow the variable.
    pub(in crate::config) fn check(
        &self,
        file: &TomlFile,
        environment: &impl Fn(&str) -> Option<String>,
    ) -> Result<(), ConfigError> {
        for (key, name) in file.named_variables() {
            if UNREAD_SECTIONS.iter().any(|section| key.starts_with(section)) {
                continue;
            }
            let is_set = || environment(&name).is_some_and(|value| !value.is_empty());
            if name.starts_with("CLOCH_") && !OWN.contains(&(key.as_str(), name.as_str())) && is_set() {
                let message =
                    format!("the variable {name} is Cloch's own: no key of a project reads it, but the one it is for");
                return Err(file.refuse_variable(&key, message));
            }
        }
        for (key, name) in file.left_variables() {
            let is_read = !UNREAD_SECTIONS.iter().any(|section| key.starts_with(section));
            if is_read && !self.permits(&name) && environment(&name).is_some_and(|value| !value.is_empty()) {
                return Err(file.refuse_variable(&key, refusal(&name)));
            }
        }
        Ok(())
    }
}

fn refusal(name: &str) -> String {
    format!(
        "reads the variable {name} of this process, which the operator has not allowed. If this project may have it, start with {VARIABLE}={name} \
         (several names are separated by commas), or write it into a .env file of the project"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const SET: [&str; 5] = [
        "AWS_SECRET_ACCESS_KEY",
        "SUPABASE_AUTH_X",
        "SUPABASE_ACCESS_TOKEN",
        "CLOCH_BACKUP_PASSPHRASE",
        "CLOCH_DB_URL",
    ];

    fn environment(name: &str) -> Option<String> {
        SET.contains(&name).then(|| "secret".to_owned())
    }

    fn read(text: &str, list: &str) -> Result<TomlFile, String> {
        let policy = EnvPolicy::read(|_| Some(list.to_owned()));
        let file = TomlFile::parse(Path::new("config.toml"), text.to_owned(), policy.of_process(&environment)).unwrap();
        policy.check(&file, &environment).map(|()| file).map_err(|error| error.to_string())
    }

    #[test]
    fn a_variable_that_is_set_is_read_only_where_the_operator_allows_it() {
        let text = "[edge_runtime.secrets]\nx = \"env(AWS_SECRET_ACCESS_KEY)\"\n";
        let error = read(text, "").unwrap_err();
        assert!(
            error.starts_with("config.toml, line 2: edge_runtime.secrets.x: reads the variable AWS_SECRET_ACCESS_KEY"),
            "{error}"
        );
        assert!(error.contains("CLOCH_PROJECT_ENV=AWS_SECRET_ACCESS_KEY"), "{error}");
        for list in ["AWS_SECRET_ACCESS_KEY", "OTHER, AWS_SECRET_ACCESS_KEY", "*"] {
            assert!(read(text, list).is_ok(), "{list}");
        }
        assert!(read(&text.replace("AWS_SECRET_ACCESS_KEY", "NOT_SET"), "").is_ok(), "as upstream, the text stays");
        assert!(read("[auth.external.github]\nsecret = \"env(SUPABASE_AUTH_X)\"", "").is_ok());
        assert!(
            read("[auth.external.github]\nsecret = \"env(SUPABASE_ACCESS_TOKEN)\"", "").is_err(),
            "the login of the CLI"
        );
        assert!(read("[studio]\nopenai_api_key = \"env(AWS_SECRET_ACCESS_KEY)\"", "").is_ok(), "nothing reads it");
        let off = "[auth.external.github]\nenabled = false\nsecret = \"env(AWS_SECRET_ACCESS_KEY)\"";
        assert!(read(off, "").is_ok(), "what is switched off is not read");
    }

    #[test]
    fn cloch_s_own_variables_are_for_their_own_keys() {
        assert!(read("[backup]\nencrypt_to = \"env(CLOCH_BACKUP_PASSPHRASE)\"", "").is_ok());
        for list in ["", "*", "CLOCH_BACKUP_PASSPHRASE,CLOCH_DB_URL"] {
            let error = read("[edge_runtime.secrets]\nx = \"env(CLOCH_BACKUP_PASSPHRASE)\"", list).unwrap_err();
            assert!(
                error.contains("line 2: edge_runtime.secrets.x: the variable CLOCH_BACKUP_PASSPHRASE is Cloch's own"),
                "{error}"
            );
            assert!(read("[web.settings]\nx = \"env(CLOCH_DB_URL)\"", list).is_err());
            assert!(read("[web.settings]\nenabled = false\nx = \"env(CLOCH_BACKUP_PASSPHRASE)\"", list).is_err());
        }
    }
}
