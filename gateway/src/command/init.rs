//! `cloch init`: creates a new project folder, optionally with the settings of an existing project.

mod from;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use toml_edit::DocumentMut;

use from::{Given, Origin, PublicSettings};

use super::print;
use crate::error::CommandError;

const CONFIG: &str = include_str!("init/config.toml");
const CLOCH: &str = include_str!("init/cloch.toml");
/// Default folder of a new project, as with the Supabase CLI.
const DEFAULT_FOLDER: &str = "supabase";

/// Creates a project folder that `cloch start --project DIR` can serve.
#[derive(Args, Default)]
pub struct Init {
    /// Folder of the project; created if it does not exist. If it contains a folder supabase/, the files are written there
    #[arg(value_name = "DIR", default_value = "supabase")]
    folder: PathBuf,
    /// Existing project: its config.toml, a folder with config.toml, or its URL, such as https://ref.supabase.co
    #[arg(long)]
    from: Option<String>,
    /// Public API key of the project in --from, if --from is a URL
    #[arg(long, value_name = "KEY")]
    anon_key: Option<String>,
    /// URL of the app, if config.toml does not contain it (`auth.site_url`)
    #[arg(long, value_name = "URL", requires = "from")]
    site_url: Option<String>,
    /// Further URL that links in mails may redirect to; may be repeated (`auth.additional_redirect_urls`)
    #[arg(long, value_name = "URL", requires = "from")]
    redirect: Vec<String>,
    /// Whether new addresses must be confirmed by mail (`auth.email.enable_confirmations`)
    #[arg(long, value_name = "BOOL", requires = "from")]
    confirmations: Option<bool>,
}

impl Init {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let supabase = self.folder.join("supabase");
        let project = if supabase.is_dir() { supabase } else { self.folder.clone() };
        let config = project.join("config.toml");
        let origin = self.from.as_deref().map(Origin::parse).transpose()?;
        // If `--from` is this project's own config.toml, missing settings are added to it.
        let is_completed = matches!(&origin, Some(Origin::File(file)) if is_same(file, &config));
        if config.exists() && !is_completed {
            return Err(format!("{} holds a project already", project.display()).into());
        }
        let mut notes = Vec::new();
        let text = match origin {
            None => self.template()?,
            Some(origin) => self.taken_over(origin, &mut notes).await?,
        };
        std::fs::create_dir_all(project.join("migrations"))?;
        std::fs::write(&config, text)?;
        for (name, text) in [("cloch.toml", CLOCH), ("seed.sql", SEED)] {
            if !project.join(name).exists() {
                std::fs::write(project.join(name), text)?;
            }
        }
        let verb = if is_completed { "Completed" } else { "Made" };
        let start = match self.folder.as_os_str() == DEFAULT_FOLDER {
            true => "cloch start".to_owned(),
            false => format!("cloch start --project {}", self.folder.display()),
        };
        print::line(format!("{verb} the project in {}. Start it with: {start}", project.display()))?;
        notes.iter().try_for_each(print::line)?;
        Ok(())
    }

    fn template(&self) -> Result<String, CommandError> {
        let folder = std::path::absolute(&self.folder)?;
        let named = if folder.ends_with(DEFAULT_FOLDER) { folder.parent().unwrap_or(&folder) } else { &folder };
        let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(CONFIG.replace("{name}", &name.replace(['"', '\\'], "")))
    }

    /// Returns config.toml with the settings of the project in `--from`. Appends the steps that the user must do manually to `notes`.
    async fn taken_over(&self, origin: Origin, notes: &mut Vec<String>) -> Result<String, CommandError> {
        let mut document: DocumentMut = match origin {
            Origin::File(file) => {
                let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                text.parse::<DocumentMut>().map_err(|error| format!("{}: {error}", file.display()))?
            }
            Origin::Project(url) => {
                let key = self
                    .anon_key
                    .as_deref()
                    .ok_or("--from with an address needs --anon-key, the project's public key")?;
                let settings = PublicSettings::ask(&url, key).await?;
                let mut document: DocumentMut = self.template()?.parse()?;
                // The URLs in the template are those of a new project, so they are removed.
                if let Some(auth) = document.get_mut("auth").and_then(|auth| auth.as_table_mut()) {
                    auth.remove("site_url");
                    auth.remove("additional_redirect_urls");
                }
                settings.apply(&mut document)?;
                if !settings.providers().is_empty() {
                    let providers = settings.providers().join(", ");
                    notes.push(format!(
                        "Providers there, to be set up in [auth.external] with their secrets: {providers}"
                    ));
                }
                document
            }
        };
        let given = Given {
            site_url: self.site_url.clone(),
            redirects: self.redirect.clone(),
            confirmations: self.confirmations,
        };
        let (mut input, mut output) = (std::io::stdin().lock(), std::io::stderr());
        let can_answer = std::io::stdin().is_terminal();
        let open = from::complete(&mut document, &given, &mut |question, usual| match can_answer {
            true => from::prompt(&mut input, &mut output, question, usual),
            false => Ok(None),
        })?;
        if !open.is_empty() {
            notes.push(format!("config.toml does not say, so the defaults hold: {}", open.join(", ")));
        }
        Ok(document.to_string())
    }
}

/// Content of the file seed.sql in a new project.
const SEED: &str = "-- Rows for a new database. Runs once, after the migrations.\n";

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_that_holds_supabase_gets_the_files_there_and_keeps_its_seed() {
        let app = tempfile::tempdir().unwrap();
        let project = app.path().join("supabase");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(project.join("seed.sql"), "insert into boards values (1);").unwrap();
        let init = || Init { folder: app.path().to_owned(), ..Init::default() }.run();

        init().await.unwrap();
        assert!(project.join("config.toml").is_file() && project.join("migrations").is_dir());
        assert!(!app.path().join("config.toml").exists());
        // Without a port in config.toml, the database can run beside the databases of other projects.
        let text: toml::Value = toml::from_str(&std::fs::read_to_string(project.join("config.toml")).unwrap()).unwrap();
        assert!(text.get("db").is_none_or(|db| db.get("port").is_none()), "{text}");
        assert_eq!(std::fs::read_to_string(project.join("seed.sql")).unwrap(), "insert into boards values (1);");
        assert!(init().await.unwrap_err().to_string().contains("holds a project already"));
    }

    #[tokio::test]
    async fn a_bare_config_is_completed_where_it_is_or_copied() {
        let app = tempfile::tempdir().unwrap();
        let config = app.path().join("supabase/config.toml");
        std::fs::create_dir(app.path().join("supabase")).unwrap();
        std::fs::write(&config, "project_id = \"abc\"\n").unwrap();
        let from = |folder: &Path, from: &Path| Init {
            folder: folder.to_owned(),
            from: Some(from.display().to_string()),
            site_url: Some("https://app.example".to_owned()),
            redirect: vec!["https://b.example/**".to_owned()],
            confirmations: Some(true),
            ..Init::default()
        };
        from(app.path(), &config).run().await.unwrap();
        let text = std::fs::read_to_string(&config).unwrap();
        assert!(text.starts_with("project_id = \"abc\"\n") && text.contains("https://app.example"), "{text}");
        assert!(text.contains("enable_confirmations = true") && text.contains("https://b.example/**"), "{text}");

        let other = tempfile::tempdir().unwrap();
        from(other.path(), app.path()).run().await.unwrap();
        assert_eq!(std::fs::read_to_string(other.path().join("config.toml")).unwrap(), text);
        // `init` never replaces the settings of an existing project by those of another project.
        let refused = from(app.path(), other.path()).run().await.unwrap_err();
        assert!(refused.to_string().contains("holds a project already"));
        let without_key =
            Init { folder: other.path().join("new"), from: Some("https://ref.example".to_owned()), ..Init::default() };
        assert!(without_key.run().await.unwrap_err().to_string().contains("--anon-key"));
    }
}
