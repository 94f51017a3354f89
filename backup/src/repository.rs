//! The target as one project's: whose backups it holds, and the key that they are encrypted with.

use bytes::Bytes;
use cloch_sql::Secret;

use crate::error::{BackupError, Result, blocking};
use crate::root::Root;
use crate::seal::{Opener, Sealer};
use crate::target::{ROOT_FILE, Target};

/// The version of the layout.
const FORMAT: u32 = 1;

/// Whom backups are encrypted to.
#[derive(Clone, Debug)]
pub enum Encryption {
    /// An age recipient (`age1…`): the server cannot read its own backups.
    Recipient(String),
    /// A passphrase.
    Passphrase(Secret),
}

impl Encryption {
    /// An age recipient, or else a passphrase.
    #[must_use]
    pub fn parse(text: &Secret) -> Self {
        match text.expose().starts_with("age1") {
            true => Self::Recipient(text.expose().to_owned()),
            false => Self::Passphrase(text.clone()),
        }
    }
}

/// A target that holds, or will hold, the backups of one project.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Where the files are.
    pub target: Target,
    /// Encrypts them.
    pub sealer: Sealer,
    /// Identifies the target: another disk that is mounted in its place has another id.
    pub id: String,
    /// Whose backups they are.
    pub project_id: String,
    root: Root,
}

impl Repository {
    /// Opens the target for writing, and makes it the project's if it is nobody's. `known_id` is the id of the target that was used
    /// before, which must still be there; `before` is the same target opened earlier with the same key, which need not be tried again.
    ///
    /// # Errors
    /// When it holds another project's backups, is encrypted otherwise, or was replaced.
    pub async fn open(
        target: Target,
        project_id: &str,
        encryption: &Encryption,
        known_id: Option<&str>,
        before: Option<&Self>,
    ) -> Result<Self> {
        let refused = |message: String| Err(BackupError::Refused(message));
        let url = target.url().to_owned();
        let Some(root) = Root::read(&target).await? else {
            if known_id.is_some() {
                return refused(format!(
                    "{url} holds no backups any more: is the disk mounted? To begin anew there, delete backup/state.json in the data folder"
                ));
            }
            return Self::create(target, project_id, encryption).await;
        };
        if root.project_id != project_id {
            return refused(format!(
                "{url} holds the backups of the project {:?}, and this one is {project_id:?}: give each project a folder or prefix of its \
                 own in [backup] to",
                root.project_id
            ));
        }
        if known_id.is_some_and(|known| known != root.id) {
            return refused(format!(
                "{url} is another target than before: is the right disk mounted? To go on with this one, delete backup/state.json in the \
                 data folder"
            ));
        }
        let is_as_before = before.is_some_and(|before| before.root == root);
        let fits = match (encryption, &root.identity) {
            _ if is_as_before => true,
            (Encryption::Recipient(recipient), None) => *recipient == root.recipient,
            (Encryption::Passphrase(passphrase), Some(wrapped)) => {
                let (wrapped, passphrase) = (wrapped.clone(), passphrase.clone());
                blocking(move || Opener::unwrap(&wrapped, &passphrase)).await.is_ok()
            }
            _ => false,
        };
        if !fits {
            return refused(format!(
                "the backups in {url} are encrypted to another recipient or passphrase than [backup] encrypt_to: set the old one, or name \
                 another folder or prefix in [backup] to"
            ));
        }
        root.write(&target).await?;
        Self::of(target, root)
    }

    /// Opens a target that exists, for reading.
    ///
    /// # Errors
    /// When it holds no backups, or was written by a newer program.
    pub async fn existing(target: Target) -> Result<Self> {
        let Some(root) = Root::read(&target).await? else {
            return Err(BackupError::Refused(format!(
                "{} holds no backups of Cloch (no {ROOT_FILE}): name the folder or URL that [backup] to in cloch.toml names, and mount its disk",
                target.url()
            )));
        };
        Self::of(target, root)
    }

    async fn create(target: Target, project_id: &str, encryption: &Encryption) -> Result<Self> {
        let (recipient, identity) = match encryption {
            Encryption::Recipient(recipient) => (Sealer::parse(recipient)?.recipient(), None),
            Encryption::Passphrase(passphrase) => {
                let passphrase = passphrase.clone();
                blocking(move || {
                    let opener = Opener::generate();
                    Ok((opener.sealer().recipient(), Some(opener.wrap(&passphrase)?)))
                })
                .await?
            }
        };
        let id = uuid::Uuid::new_v4().to_string();
        let root = Root { format: FORMAT, id, project_id: project_id.to_owned(), recipient, identity };
        root.write(&target).await?;
        Self::of(target, root)
    }

    fn of(target: Target, root: Root) -> Result<Self> {
        if root.format != FORMAT {
            return Err(BackupError::Refused(format!(
                "{} was written by another version of Cloch (format {}): use that version",
                target.url(),
                root.format
            )));
        }
        let sealer = Sealer::parse(&root.recipient)?;
        Ok(Self { target, sealer, id: root.id.clone(), project_id: root.project_id.clone(), root })
    }

    /// Writes what the target says of itself again, where it is damaged or lost.
    ///
    /// # Errors
    /// When the target does not take it.
    pub(crate) async fn mend_root(&self) -> Result<()> {
        self.root.write(&self.target).await
    }

    /// The key for reading, from a passphrase or an age identity.
    ///
    /// # Errors
    /// When it is not the one of this target.
    pub async fn opener(&self, key: &Secret) -> Result<Opener> {
        let opener = match &self.root.identity {
            _ if key.expose().starts_with("AGE-SECRET-KEY-") => Opener::parse(key)?,
            Some(wrapped) => {
                let (wrapped, key) = (wrapped.clone(), key.clone());
                blocking(move || Opener::unwrap(&wrapped, &key)).await?
            }
            None => {
                return Err(BackupError::Key(
                    "it is encrypted to an age recipient, and the key given is no age identity".into(),
                ));
            }
        };
        match opener.sealer().recipient() == self.sealer.recipient() {
            true => Ok(opener),
            false => Err(BackupError::Key(format!("the age identity is not that of {}", self.sealer.recipient()))),
        }
    }

    /// Compresses, encrypts and writes a file; returns its size in the target and its SHA-256.
    ///
    /// # Errors
    /// When the target does not take it.
    pub async fn put(&self, name: &str, content: Bytes) -> Result<u64> {
        let (sealer, own) = (self.sealer.clone(), name.to_owned());
        let sealed = blocking(move || sealer.seal(&own, &content)).await?;
        let size = sealed.len() as u64;
        self.target.put(name, sealed).await?;
        Ok(size)
    }

    /// Reads and decrypts a file.
    ///
    /// # Errors
    /// When it is missing or damaged, or the key does not fit.
    pub async fn get(&self, opener: &Opener, name: &str) -> Result<Vec<u8>> {
        let sealed = self.target.get(name).await?.ok_or_else(|| BackupError::Missing { what: name.to_owned() })?;
        let (opener, own) = (opener.clone(), name.to_owned());
        blocking(move || opener.open(&own, &sealed)).await
    }
}
