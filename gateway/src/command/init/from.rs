//! `cloch init --from`: reads the settings of an existing project, and asks for settings that the config.toml of a hosted project often
//! lacks: the URLs for links in mails, and whether mail addresses must be confirmed.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use toml_edit::{Array, DocumentMut, Item, Table, value};
use url::Url;

use crate::error::CommandError;

/// Timeout of the request for the project's public settings.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum size in bytes of the response with the public settings.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// Keys of the object `external` in the response of GET /auth/v1/settings that are not sign-in providers.
const NO_PROVIDERS: [&str; 3] = ["email", "phone", "anonymous_users"];

/// Source of the settings that `cloch init --from` reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    File(PathBuf),
    Project(Url),
}

/// Settings from the command line, which take precedence over the source's settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// `auth.site_url`
    pub(super) site_url: Option<String>,
    /// `auth.additional_redirect_urls`
    pub(super) redirects: Vec<String>,
    /// `auth.email.enable_confirmations`
    pub(super) confirmations: Option<bool>,
}

impl Origin {
    /// Parses `--from`: a URL, a config.toml, or a folder with config.toml.
    pub(super) fn parse(text: &str) -> Result<Self, CommandError> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Project(text.parse()?));
        }
        let path = Path::new(text);
        let candidates = [path.to_owned(), path.join("config.toml"), path.join("supabase/config.toml")];
        let found = candidates.into_iter().find(|file| file.is_file());
        found
            .map(Self::File)
            .ok_or_else(|| format!("--from: {text} is no config.toml, and no folder that holds one").into())
    }
}

/// Response of `GET /auth/v1/settings`: a project's public settings.
#[derive(Debug, Default, Deserialize)]
pub(super) struct PublicSettings {
    disable_signup: bool,
    mailer_autoconfirm: bool,
    #[serde(default)]
    external: BTreeMap<String, bool>,
}

impl PublicSettings {
    /// Requests the project's public settings with the API key `key`. Redirects are not followed, so that no other server receives the API
    /// key.
    pub(super) async fn ask(project: &Url, key: &str) -> Result<Self, CommandError> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).redirect(reqwest::redirect::Policy::none()).build()?;
        let address = format!("{}/auth/v1/settings", project.as_str().trim_end_matches('/'));
        let mut response = client.get(&address).header("apikey", key).send().await?;
        if !response.status().is_success() {
            return Err(format!("{address} answers {}: is --anon-key this project's?", response.status()).into());
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            if body.len() + piece.len() > MAX_ANSWER_BYTES {
                return Err(format!("{address} answers with more than {MAX_ANSWER_BYTES} bytes").into());
            }
            body.extend_from_slice(&piece);
        }
        serde_json::from_slice(&body).map_err(|error| format!("{address} is no auth API: {error}").into())
    }

    pub(super) fn apply(&self, document: &mut DocumentMut) -> Result<(), CommandError> {
        set(document, &["auth"], "enable_signup", value(!self.disable_signup))?;
        let anonymous = self.external.get("anonymous_users").copied().unwrap_or_default();
        set(document, &["auth"], "enable_anonymous_sign_ins", value(anonymous))?;
        set(document, &["auth", "email"], "enable_confirmations", value(!self.mailer_autoconfirm))
    }

    /// Returns the enabled sign-in providers. The response does not contain the providers' secrets.
    pub(super) fn providers(&self) -> Vec<&str> {
        let is_provider = |name: &&str| !NO_PROVIDERS.contains(name);
        self.external.iter().filter(|(_, on)| **on).map(|(name, _)| name.as_str()).filter(is_provider).collect()
    }
}

/// Function that asks the user a question with a default answer and returns the answer, or `None` if input is not interactive.
type Ask<'a> = dyn FnMut(&str, &str) -> Result<Option<String>, CommandError> + 'a;

/// Sets missing keys of config.toml from the command line or the user's answers. Returns the keys that keep their default values.
pub(super) fn complete(
    document: &mut DocumentMut,
    given: &Given,
    ask: &mut Ask<'_>,
) -> Result<Vec<&'static str>, CommandError> {
    let mut open = Vec::new();
    let is_there = |document: &DocumentMut, path: &[&str]| {
        path.iter().try_fold(document.as_item(), |item, name| item.get(name)).is_some()
    };
    if given.site_url.is_some() || !is_there(document, &["auth", "site_url"]) {
        let question = "Where does the app run? Links in mails lead there (auth.site_url)";
        match given.site_url.clone().map_or_else(|| ask(question, "http://127.0.0.1:3000"), |url| Ok(Some(url)))? {
            Some(url) => set(document, &["auth"], "site_url", value(checked(&url)?))?,
            None => open.push("auth.site_url"),
        }
    }
    if !given.redirects.is_empty() || !is_there(document, &["auth", "additional_redirect_urls"]) {
        let question = "Where else may links lead? Addresses with commas between (auth.additional_redirect_urls)";
        let answer = if given.redirects.is_empty() { ask(question, "")? } else { Some(given.redirects.join(",")) };
        match answer {
            Some(urls) => {
                let urls: Array = urls.split(',').map(str::trim).filter(|url| !url.is_empty()).collect();
                set(document, &["auth"], "additional_redirect_urls", value(urls))?;
            }
            None => open.push("auth.additional_redirect_urls"),
        }
    }
    if given.confirmations.is_some() || !is_there(document, &["auth", "email", "enable_confirmations"]) {
        let question = "Must new addresses be confirmed by mail, yes or no (auth.email.enable_confirmations)";
        let answer = match given.confirmations {
            Some(confirmations) => Some(confirmations),
            None => ask(question, "yes")?.map(|answer| yes_or_no(&answer)).transpose()?,
        };
        match answer {
            Some(confirmations) => set(document, &["auth", "email"], "enable_confirmations", value(confirmations))?,
            None => open.push("auth.email.enable_confirmations"),
        }
    }
    Ok(open)
}

fn checked(url: &str) -> Result<String, CommandError> {
    Url::parse(url).map_err(|error| format!("auth.site_url: {url}: {error}"))?;
    Ok(url.to_owned())
}

fn yes_or_no(answer: &str) -> Result<bool, CommandError> {
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" | "true" => Ok(true),
        "n" | "no" | "false" => Ok(false),
        other => Err(format!("{other:?} is neither yes nor no").into()),
    }
}

fn set(document: &mut DocumentMut, tables: &[&str], name: &str, new: Item) -> Result<(), CommandError> {
    let mut table = document.as_table_mut();
    for part in tables {
        let mut empty = Table::new();
        // toml_edit writes an implicit table without its own header line `[auth]` as long as the table contains only
        // subtables.
        empty.set_implicit(true);
        table = table
            .entry(part)
            .or_insert(Item::Table(empty))
            .as_table_mut()
            .ok_or_else(|| format!("config.toml: {} is no table", tables.join(".")))?;
    }
    table.insert(name, new);
    Ok(())
}

/// Asks a question on the terminal; an empty line means the default answer. Returns `None` at the end of the input.
pub(super) fn prompt(
    input: &mut impl BufRead,
    output: &mut impl Write,
    question: &str,
    usual: &str,
) -> Result<Option<String>, CommandError> {
    let hint = if usual.is_empty() { String::new() } else { format!(" [{usual}]") };
    write!(output, "{question}{hint}: ")?;
    output.flush()?;
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let line = line.trim();
    Ok(Some(if line.is_empty() { usual } else { line }.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nobody(_: &str, _: &str) -> Result<Option<String>, CommandError> {
        Ok(None)
    }

    #[test]
    fn what_the_file_leaves_out_is_asked_for_and_what_it_says_stays() {
        let bare = "project_id = \"abc\" # as linked\n\n[functions.hello]\nverify_jwt = false\n";
        let mut document: DocumentMut = bare.parse().unwrap();
        let answers = "https://app.example\nhttps://a.example/**, https://b.example\nno\n";
        let mut input = std::io::Cursor::new(answers);
        let mut asked = Vec::new();
        let open = complete(&mut document, &Given::default(), &mut |question, usual| {
            prompt(&mut input, &mut asked, question, usual)
        });
        assert!(open.unwrap().is_empty());
        let text = document.to_string();
        assert!(text.starts_with(bare), "{text}");
        let read: toml::Value = toml::from_str(&text).unwrap();
        assert_eq!(read["auth"]["site_url"].as_str(), Some("https://app.example"));
        assert_eq!(read["auth"]["additional_redirect_urls"].as_array().unwrap().len(), 2);
        assert_eq!(read["auth"]["email"]["enable_confirmations"].as_bool(), Some(false));
        // config.toml is complete now, so no question is asked.
        let again = complete(&mut document, &Given::default(), &mut |question, _| Err(question.into()));
        assert!(again.unwrap().is_empty() && document.to_string() == text);
    }

    #[test]
    fn without_anybody_to_ask_the_open_keys_are_named_and_flags_count() {
        let mut document: DocumentMut = "[auth]\nsite_url = \"https://old.example\"\n".parse().unwrap();
        let given = Given { site_url: Some("https://new.example".to_owned()), ..Given::default() };
        let open = complete(&mut document, &given, &mut nobody).unwrap();
        assert_eq!(open, ["auth.additional_redirect_urls", "auth.email.enable_confirmations"]);
        assert!(document.to_string().contains("https://new.example"));
        let wrong = Given { site_url: Some("no address".to_owned()), ..Given::default() };
        assert!(complete(&mut document, &wrong, &mut nobody).is_err());
        let mut no_table: DocumentMut = "auth = 1\n".parse().unwrap();
        assert!(complete(&mut no_table, &given, &mut nobody).unwrap_err().to_string().contains("no table"));
    }

    #[test]
    fn a_hosted_projects_public_settings_are_taken_over() {
        let answer = r#"{"disable_signup":true,"mailer_autoconfirm":false,"external":{"email":true,"google":true,"github":false,"anonymous_users":true}}"#;
        let settings: PublicSettings = serde_json::from_str(answer).unwrap();
        let mut document = DocumentMut::new();
        settings.apply(&mut document).unwrap();
        let read: toml::Value = toml::from_str(&document.to_string()).unwrap();
        assert_eq!(read["auth"]["enable_signup"].as_bool(), Some(false));
        assert_eq!(read["auth"]["enable_anonymous_sign_ins"].as_bool(), Some(true));
        assert_eq!(read["auth"]["email"]["enable_confirmations"].as_bool(), Some(true));
        assert_eq!(settings.providers(), ["google"]);
    }

    #[test]
    fn from_is_an_address_a_file_or_a_folder() {
        assert!(matches!(Origin::parse("https://ref.supabase.co").unwrap(), Origin::Project(_)));
        assert!(Origin::parse("/nowhere").unwrap_err().to_string().contains("no config.toml"));
        let app = tempfile::tempdir().unwrap();
        std::fs::create_dir(app.path().join("supabase")).unwrap();
        let file = app.path().join("supabase/config.toml");
        std::fs::write(&file, "").unwrap();
        for path in [app.path().to_owned(), app.path().join("supabase"), file.clone()] {
            assert_eq!(Origin::parse(path.to_str().unwrap()).unwrap(), Origin::File(file.clone()));
        }
    }
}
