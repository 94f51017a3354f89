//! Opens a backup target as the repository of one project: project id, encryption key and signing key.

use bytes::Bytes;
use cloch_core::Secret;

use crate::checked_json;
use crate::encryption::{self, Opener, Sealer};
use crate::error::{BackupError, Result, blocking};
use crate::repository_header::{FORMAT, Root, UNSIGNED_FORMAT};
use crate::signature::{Place, Proof, Signer, Verifier};
use crate::target::{ROOT_FILE, Target, View};
use crate::trust::{Encryption, IDENTITY_PREFIX, Known, Trust, name_own_key};

/// A backup target that contains the backups of one project.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Backup target that stores the files.
    pub target: Target,
    /// Key that encrypts files.
    pub sealer: Sealer,
    /// Id of the backup target. A different disk that is mounted at the same path has a different id.
    pub id: String,
    /// Id of the project.
    pub project_id: String,
    /// Key that verifies the author of a file. `None` if the backup target is trusted without verification.
    verifier: Option<Verifier>,
    /// Key that signs files. `None` if the backup target was opened for reading.
    signer: Option<Signer>,
    /// The passphrase that was used last, and the private key that it decrypted. They are stored because decrypting the private key again
    /// would take a third of a second.
    opened: Option<(Secret, Opener)>,
    root: Root,
}

impl Repository {
    /// Opens a backup target for writing. An empty target becomes a backup target of the project. `known` describes the target that this
    /// server has used before; if it is set, `target` must be the same target. `before` is the result of an earlier call. If the root file
    /// is unchanged since then, the encryption key is not tested again.
    ///
    /// # Errors
    /// If the target contains another project's backups, is encrypted with another key, was replaced, or has a signature of another server.
    pub async fn open(
        target: Target,
        project_id: &str,
        encryption: &Encryption,
        known: Option<Known<'_>>,
        before: Option<&Self>,
    ) -> Result<Self> {
        let refused = |message: String| Err(BackupError::Refused(message));
        let url = target.url().to_owned();
        let Some((root, proof)) = Root::read(&target).await? else {
            if known.is_some() {
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
        if known.is_some_and(|known| known.id != root.id) {
            return refused(format!(
                "{url} is another target than before: is the right disk mounted? To go on with this one, delete backup/state.json in the \
                 data folder"
            ));
        }
        if let Some(before) = before.filter(|before| before.root == root)
            && let (Some(signer), Some(verifier)) = (&before.signer, before.verifier)
        {
            root.verify(ROOT_FILE, &proof, verifier)?;
            root.write(&target, signer).await?;
            return Ok(before.clone());
        }
        let Some(signer) = root.signer(encryption).await? else {
            return refused(format!(
                "the backups in {url} are encrypted to another recipient or passphrase than [backup] encrypt_to: set the old one, or name \
                 another folder or prefix in [backup] to"
            ));
        };
        let root = match root.format {
            UNSIGNED_FORMAT if known.is_some_and(|known| known.is_signed) => {
                return Err(BackupError::not_authentic(
                    ROOT_FILE,
                    "it is of the format of before, without a signature, and this server has signed it: somebody has replaced it",
                ));
            }
            // A backup target with the unsigned format of older Cloch versions is converted. From this start on, the root file
            // `cloch-backup.json` and all new files are signed.
            UNSIGNED_FORMAT => Root { format: FORMAT, ..root },
            _ => {
                let verified = root.verify(ROOT_FILE, &proof, signer.verifier());
                verified.map_err(|error| name_own_key(error, encryption))?;
                root
            }
        };
        root.write(&target, &signer).await?;
        Self::of(target, root, Some(signer.verifier()), Some(signer))
    }

    /// Opens an existing backup target for reading.
    ///
    /// # Errors
    /// If the backup target contains no backups, has another format version, or cannot be verified.
    pub async fn existing(target: Target, trust: &Trust) -> Result<Self> {
        let (root, proof) = Self::read_root(&target).await?;
        if trust.allow_unauthenticated {
            return Self::of(target.with_view(View::Both), root, None, None);
        }
        if root.format == UNSIGNED_FORMAT {
            return Err(BackupError::not_authentic(
                ROOT_FILE,
                "it has no signature: the backups in this target were made before Cloch signed them, or somebody has removed that. \
                 --allow-unauthenticated reads them nevertheless; they are then as trustworthy as whoever can write to the target",
            ));
        }
        let mut opened = None;
        let verifier = match (trust.verifier, &trust.key) {
            (Some(verifier), _) => verifier,
            (None, Some(key)) if root.identity.is_some() => {
                let opener = root.opener(key).await?;
                root.refuse_other_recipient(&opener)?;
                let verifier = Signer::derive(&opener.identity())?.verifier();
                opened = Some((key.clone(), opener));
                verifier
            }
            _ => {
                return Err(BackupError::Refused(format!(
                    "what {} holds cannot be verified without {}: `cloch backup status` on its server shows it. --allow-unauthenticated trusts \
                     whoever can write to the target",
                    target.url(),
                    match &root.identity {
                        Some(_) =>
                            "the passphrase (CLOCH_BACKUP_PASSPHRASE or --key-file) or the verification key of the server (--verify-key)",
                        None =>
                            "the verification key of the server that wrote it (--verify-key, or a line of --key-file)",
                    }
                )));
            }
        };
        root.verify(ROOT_FILE, &proof, verifier)?;
        Ok(Self { opened, ..Self::of(target, root, Some(verifier), None)? })
    }

    /// Returns the id of an existing backup target.
    ///
    /// # Errors
    /// If the backup target contains no backups.
    pub async fn id_of(target: &Target) -> Result<String> {
        Ok(Self::read_root(target).await?.0.id)
    }

    async fn read_root(target: &Target) -> Result<(Root, Proof)> {
        Root::read(target).await?.ok_or_else(|| {
            BackupError::Refused(format!(
                "{} holds no backups of Cloch (no {ROOT_FILE}): name the folder or URL that [backup] to in cloch.toml names, and mount its disk",
                target.url()
            ))
        })
    }

    async fn create(target: Target, project_id: &str, encryption: &Encryption) -> Result<Self> {
        let (recipient, identity, signer) = match encryption {
            Encryption::Recipient { recipient, signing_key } => {
                (Sealer::parse(recipient)?.recipient(), None, Signer::parse(signing_key)?)
            }
            Encryption::Passphrase(passphrase) => {
                let passphrase = passphrase.clone();
                blocking(move || {
                    let opener = Opener::generate();
                    let signer = Signer::derive(&opener.identity())?;
                    Ok((opener.sealer().recipient(), Some(opener.wrap(&passphrase)?), signer))
                })
                .await?
            }
        };
        let id = uuid::Uuid::new_v4().to_string();
        let root = Root { format: FORMAT, id, project_id: project_id.to_owned(), recipient, identity };
        root.write(&target, &signer).await?;
        Self::of(target, root, Some(signer.verifier()), Some(signer))
    }

    fn of(target: Target, root: Root, verifier: Option<Verifier>, signer: Option<Signer>) -> Result<Self> {
        if root.format != FORMAT && !(verifier.is_none() && root.format == UNSIGNED_FORMAT) {
            return Err(BackupError::Refused(format!(
                "{} was written by another version of Cloch (format {}): use that version",
                target.url(),
                root.format
            )));
        }
        let sealer = Sealer::parse(&root.recipient)?;
        Ok(Self {
            target,
            sealer,
            id: root.id.clone(),
            project_id: root.project_id.clone(),
            verifier,
            signer,
            opened: None,
            root,
        })
    }

    /// Returns a view of the files in the unsigned format of older Cloch versions. The view is used only to delete expired files. No file
    /// is written or restored through it.
    pub(crate) fn of_before(&self) -> Self {
        Self { target: self.target.with_view(View::Unsigned), verifier: None, signer: None, ..self.clone() }
    }

    /// Returns the key that verifies the files of this backup target. `None` if the target is trusted without verification.
    #[must_use]
    pub fn verifier(&self) -> Option<Verifier> {
        self.verifier
    }

    pub(crate) fn signer(&self) -> Result<&Signer> {
        self.signer.as_ref().ok_or_else(|| BackupError::Refused("the target was opened for reading only".to_owned()))
    }

    /// Verifies the author of a file.
    ///
    /// # Errors
    /// If the file was signed with another key, or for another name or backup target.
    pub(crate) fn verify(&self, name: &str, proof: &Proof) -> Result<()> {
        let Some(verifier) = self.verifier else { return Ok(()) };
        let place = Place::File { target: &self.id, name };
        verifier.verify(place, name, &proof.digest, proof.signature.as_ref().map(|signature| &signature[..]))
    }

    /// Rewrites the root file `cloch-backup.json` and its copy if they are damaged or missing.
    ///
    /// # Errors
    /// If the backup target cannot be written, or the root file now has a signature that is not this server's.
    pub(crate) async fn mend_root(&self) -> Result<()> {
        match (Root::read(&self.target).await, self.verifier) {
            (Ok(Some((root, proof))), Some(verifier)) => root.verify(ROOT_FILE, &proof, verifier)?,
            (Ok(_) | Err(BackupError::Damaged { .. }), _) => {}
            (Err(error), _) => return Err(error),
        }
        self.root.write(&self.target, self.signer()?).await
    }

    /// Returns the key for decryption, from a passphrase or an age identity.
    ///
    /// # Errors
    /// If the key is not the key of this backup target.
    pub async fn opener(&self, key: &Secret) -> Result<Opener> {
        if let Some((_, opener)) = self.opened.as_ref().filter(|(own, _)| own.expose() == key.expose()) {
            return Ok(opener.clone());
        }
        let opener = self.root.opener(key).await?;
        match opener.sealer().recipient() == self.sealer.recipient() {
            true => Ok(opener),
            false if key.expose().starts_with(IDENTITY_PREFIX) => {
                Err(BackupError::Key(format!("the age identity is not that of {}", self.sealer.recipient())))
            }
            false => self.root.refuse_other_recipient(&opener).map(|()| opener),
        }
    }

    /// Compresses, encrypts, signs and writes a file. Returns its size in the backup target in bytes.
    ///
    /// # Errors
    /// If encryption or the write fails.
    pub async fn put(&self, name: &str, content: Bytes) -> Result<u64> {
        let (sealer, signer) = (self.sealer.clone(), self.signer()?.clone());
        let (id, own) = (self.id.clone(), name.to_owned());
        let sealed = blocking(move || sealer.seal(&signer, &id, &own, &content)).await?;
        let size = sealed.len() as u64;
        self.target.put(name, sealed).await?;
        Ok(size)
    }

    /// Reads, verifies and decrypts a file.
    ///
    /// # Errors
    /// If the file is missing, damaged or not authentic, or the key is wrong.
    pub async fn get(&self, opener: &Opener, name: &str) -> Result<Vec<u8>> {
        let sealed = self.target.get(name).await?.ok_or_else(|| BackupError::Missing { what: name.to_owned() })?;
        let (own, opener, name) = (self.clone(), opener.clone(), name.to_owned());
        blocking(move || own.open_file(&opener, &name, &sealed)).await
    }

    fn open_file(&self, opener: &Opener, name: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        let (encrypted, proof) = encryption::split(name, sealed)?;
        self.verify(name, &proof)?;
        match opener.open(name, encrypted) {
            // The file has the unsigned format of older Cloch versions. `split` has treated the end of its encrypted part as a signature.
            Err(BackupError::Damaged { .. }) if self.verifier.is_none() => {
                opener.open(name, encryption::unsigned(sealed).unwrap_or_default())
            }
            outcome => outcome,
        }
    }

    /// Reads a file and verifies its checksum and signature without decrypting it.
    pub(crate) async fn check(&self, name: &str) -> Result<()> {
        let sealed = self.target.get(name).await?.ok_or_else(|| BackupError::Missing { what: name.to_owned() })?;
        self.check_bytes(name, &sealed)
    }

    /// Verifies the checksum and the signature of `bytes`, the content of the file `name`, without decrypting it.
    pub(crate) fn check_bytes(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let proof = match name.ends_with(".json") {
            true => checked_json::parse::<serde::de::IgnoredAny>(name, bytes)?.1,
            false => encryption::split(name, bytes)?.1,
        };
        self.verify(name, &proof)
    }
}

#[cfg(test)]
mod tests;
