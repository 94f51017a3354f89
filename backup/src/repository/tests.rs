use std::fs;
use std::path::{Path, PathBuf};

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::inventory::Inventory;
use crate::layout::{self, Manifest, Point};
use crate::lsn::Lsn;
use crate::signed_json;
use crate::status::State;
use crate::testing::{SEGMENT_BYTES, manifest};
use crate::wal::WalShipper;

const PASSPHRASE: &str = "a passphrase that is long enough";

fn passphrase() -> Secret {
    Secret::from(PASSPHRASE.to_owned())
}

fn with_passphrase() -> Encryption {
    Encryption::Passphrase(passphrase())
}

fn target(folder: &Path) -> Target {
    Target::open(folder.to_str().unwrap(), &Default::default()).unwrap()
}

/// Creates a backup target with a base backup, the base backup's WAL and recovery point, and a blob.
async fn made() -> (TempDir, Repository) {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::open(target(folder.path()), "club", &with_passphrase(), None, None).await.unwrap();
    fill(&repository, "s").await;
    (folder, repository)
}

async fn fill(repository: &Repository, series: &str) {
    let (id, now) = (layout::moment_name(Utc::now()), Utc::now());
    let manifest = manifest(now);
    repository.put(&layout::base_part(series, &id, 0), "part".into()).await.unwrap();
    repository.put(&layout::wal_piece(series, "000000010000000000000001", 0, 100), "log".into()).await.unwrap();
    put_point(repository, series, 1, 100).await;
    signed_json::put(repository, &layout::manifest(series, &id), &manifest).await.unwrap();
}

async fn put_point(repository: &Repository, series: &str, number: u64, end: u64) {
    let (end, now) = (Lsn(SEGMENT_BYTES + end), Utc::now());
    let point = Point { mark: end, marked: now, end, until: now, number, settings: None, is_mended: false };
    signed_json::put(repository, &layout::point(series), &point).await.unwrap();
}

/// Returns the first file below a folder whose path ends with `end`.
fn find(folder: &Path, end: &str) -> PathBuf {
    let mut files = walkdir::WalkDir::new(folder).into_iter().filter_map(std::result::Result::ok);
    files.find(|entry| entry.path().to_str().unwrap().ends_with(end)).unwrap().into_path()
}

/// Changes the root file `cloch-backup.json` and its copy in the same way as an attacker who can write to the backup target but has no key.
fn change_root(folder: &Path, change: impl Fn(&mut Value)) {
    for name in ["cloch-backup.json", "cloch-backup.copy.json"] {
        let path = folder.join(name);
        let mut root: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        root.as_object_mut().unwrap().remove("sha256");
        change(&mut root);
        fs::write(path, serde_json::to_string_pretty(&root).unwrap()).unwrap();
    }
}

fn other_recipient() -> String {
    Opener::generate().sealer().recipient()
}

fn refused<T>(outcome: Result<T>, words: &str) {
    match outcome.map(drop) {
        Err(error @ BackupError::NotAuthentic { .. }) => {
            assert!(error.to_string().contains(words), "{error}");
        }
        other => panic!("{other:?} instead of {words}"),
    }
}

async fn read(folder: &Path) -> Result<Inventory> {
    Inventory::read(&Repository::existing(target(folder), &Trust::of_key(&passphrase())).await?).await
}

#[tokio::test]
async fn a_recipient_that_is_not_the_keys_is_refused_at_every_connect() {
    let (folder, repository) = made().await;
    change_root(folder.path(), |root| root["recipient"] = json!(other_recipient()));
    for before in [None, Some(&repository)] {
        let opened = Repository::open(target(folder.path()), "club", &with_passphrase(), None, before).await;
        refused(opened, "it names the recipient age1");
    }
    refused(read(folder.path()).await, "it names the recipient age1");
    refused(repository.mend_root().await, "its signature is not that of this project's server");
    // The same attack on a backup target of the unsigned format of older Cloch versions, which has no signature to verify.
    change_root(folder.path(), |root| {
        root["format"] = json!(1);
        root.as_object_mut().unwrap().remove("signature");
    });
    let opened = Repository::open(target(folder.path()), "club", &with_passphrase(), None, None).await;
    refused(opened, "it names the recipient age1");
}

#[tokio::test]
async fn a_root_that_was_changed_or_put_back_is_refused() {
    let (folder, repository) = made().await;
    let known = Known { id: &repository.id, is_signed: true };
    let key = with_passphrase();
    let open = || Repository::open(target(folder.path()), "club", &key, Some(known), None);
    change_root(folder.path(), |root| root["identity"] = json!(root["identity"].as_str().unwrap().to_uppercase()));
    refused(open().await, "its signature is not that");
    change_root(folder.path(), |root| {
        root["format"] = json!(1);
        root.as_object_mut().unwrap().remove("signature");
    });
    refused(open().await, "without a signature, and this server has signed it");
    refused(read(folder.path()).await, "--allow-unauthenticated");
}

#[tokio::test]
async fn a_target_of_before_is_signed_by_its_server_and_read_by_others_only_when_told_to() {
    let (folder, repository) = made().await;
    // Convert the backup target to the unsigned format of older Cloch versions: no signatures, and files outside `v2`.
    for name in ["series", "blobs"] {
        let _ = fs::rename(folder.path().join("v2").join(name), folder.path().join(name));
    }
    let manifest = find(folder.path(), "manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, format!("{}\n}}", text.split_once(",\n  \"signature\"").unwrap().0)).unwrap();
    let part = find(folder.path(), "tar.000000");
    let name = part.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
    let opener = repository.opener(&passphrase()).await.unwrap();
    let sealed = fs::read(&part).unwrap();
    let encrypted = &sealed[..sealed.len() - 96];
    fs::write(&part, [encrypted, &<[u8; 32]>::from(<sha2::Sha256 as sha2::Digest>::digest(encrypted))].concat())
        .unwrap();
    change_root(folder.path(), |root| {
        root["format"] = json!(1);
        root.as_object_mut().unwrap().remove("signature");
    });

    refused(read(folder.path()).await, "--allow-unauthenticated");
    let trust = Trust { allow_unauthenticated: true, ..Trust::default() };
    let trusting = Repository::existing(target(folder.path()), &trust).await.unwrap();
    assert_eq!(Inventory::read(&trusting).await.unwrap().bases.len(), 1);
    assert_eq!(trusting.get(&opener, &name).await.unwrap(), b"part");

    let known = Known { id: &repository.id, is_signed: false };
    let opened = Repository::open(target(folder.path()), "club", &with_passphrase(), Some(known), None).await.unwrap();
    assert_eq!(opened.id, repository.id);
    let inventory = read(folder.path()).await.unwrap();
    assert!(inventory.bases.is_empty(), "what was there before is not in the list of what is verified");
    fill(&opened, "t").await;
    assert_eq!(read(folder.path()).await.unwrap().bases.len(), 1);
    let both = Repository::existing(target(folder.path()), &trust).await.unwrap();
    assert_eq!(Inventory::read(&both).await.unwrap().bases.len(), 2);
}

#[tokio::test]
async fn the_servers_own_key_signs_what_is_encrypted_to_a_recipient() {
    let folder = tempfile::tempdir().unwrap();
    let identity = Opener::generate();
    let encryption = |digit: &str| Encryption::Recipient {
        recipient: identity.sealer().recipient(),
        signing_key: Secret::from(digit.repeat(64)),
    };
    let open = |digit| Repository::open(target(folder.path()), "club", digit, None, None);
    let (own, other) = (encryption("1"), encryption("2"));
    let repository = open(&own).await.unwrap();
    fill(&repository, "s").await;
    open(&own).await.unwrap();
    refused(open(&other).await, "its signature is not that of this project's server");
    let existing = |verifier: Option<Verifier>, allow_unauthenticated| {
        let trust = Trust { key: Some(identity.identity()), verifier, allow_unauthenticated };
        let target = target(folder.path());
        async move { Repository::existing(target, &trust).await }
    };
    let error = existing(None, false).await.unwrap_err().to_string();
    assert!(error.contains("the verification key of the server that wrote it (--verify-key"), "{error}");
    let others = Signer::parse(&Secret::from("2".repeat(64))).unwrap().verifier();
    refused(existing(Some(others), false).await, "its signature is not that of this project's server");
    for (verifier, is_trusting) in [(repository.verifier(), false), (None, true)] {
        let existing = existing(verifier, is_trusting).await.unwrap();
        assert_eq!(Inventory::read(&existing).await.unwrap().bases.len(), 1);
    }
    // An attacker replaces the encrypted key with another one, encrypted with the attacker's passphrase.
    change_root(folder.path(), |root| {
        let own = Opener::generate();
        root["recipient"] = json!(own.sealer().recipient());
        root["identity"] = json!(own.wrap(&Secret::from("another passphrase".to_owned())).unwrap());
    });
    assert!(open(&own).await.is_err());
    refused(existing(repository.verifier(), false).await, "signature");
}

#[tokio::test]
async fn files_of_another_place_target_or_author_are_refused() {
    let (folder, repository) = made().await;
    let opener = repository.opener(&passphrase()).await.unwrap();
    let part = find(folder.path(), "tar.000000");
    let (bytes, name) = (fs::read(&part).unwrap(), |path: &Path| {
        path.strip_prefix(folder.path().join("v2")).unwrap().to_str().unwrap().to_owned()
    });
    // A valid file copied to another path in the same backup target.
    for other in
        ["series/s/base/other/tar.000000", "series/t/wal/000000010000000000000001.00000000-00000064", "blobs/00/x"]
    {
        let path = folder.path().join("v2").join(other);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &bytes).unwrap();
        refused(repository.get(&opener, other).await, "for this place");
        refused(repository.check(other).await, "for this place");
    }
    // A file of another backup target with the same key, and a file encrypted by someone who has only the public recipient.
    let signer = repository.signer().unwrap();
    let elsewhere = repository.sealer.seal(signer, "another id", &name(&part), b"part").unwrap();
    let forger = Signer::derive(&Secret::from("a key of his own".to_owned())).unwrap();
    let forged = repository.sealer.seal(&forger, &repository.id, &name(&part), b"forged").unwrap();
    for bytes in [elsewhere, forged] {
        fs::write(&part, bytes).unwrap();
        refused(repository.get(&opener, &name(&part)).await, "its signature is not that of this project's server");
    }
}

#[tokio::test]
async fn forged_swapped_and_replayed_series_are_refused() {
    let (folder, repository) = made().await;
    fill(&repository, "t").await;
    let (point, manifest) = (find(folder.path(), "s/point.json"), find(folder.path(), "manifest.json"));
    let (good_point, good_manifest) = (fs::read(&point).unwrap(), fs::read(&manifest).unwrap());

    // A changed manifest without signature.
    let text = String::from_utf8(good_manifest.clone()).unwrap();
    let unsigned = format!("{}\n}}", text.split_once(",\n  \"signature\"").unwrap().0);
    fs::write(&manifest, unsigned.replace("\"postgres\": \"17\"", "\"postgres\": \"99\"")).unwrap();
    refused(read(folder.path()).await, "it has no signature");
    fs::write(&manifest, &good_manifest).unwrap();
    // A whole backup series copied to another series name.
    let series = folder.path().join("v2/series");
    fs::rename(series.join("t"), series.join("u")).unwrap();
    refused(read(folder.path()).await, "for this place");
    fs::rename(series.join("u"), series.join("t")).unwrap();
    // The recovery point of another backup series.
    fs::write(&point, fs::read(find(folder.path(), "t/point.json")).unwrap()).unwrap();
    refused(read(folder.path()).await, "for this place");
    fs::write(&point, &good_point).unwrap();
    // A recovery point older than the base backup, then a missing recovery point.
    put_point(&repository, "s", 1, 60).await;
    refused(read(folder.path()).await, "which a base backup of its run needs");
    fs::remove_file(&point).unwrap();
    refused(read(folder.path()).await, "it is missing, and its run has a complete base backup");
    // Two faults that only data outside the backup target reveals: the recovery point is older than the one in the server's saved state, or
    // it ends before a moment that the backup is known to reach.
    fs::write(&point, &good_point).unwrap();
    let inventory = read(folder.path()).await.unwrap();
    let state = |number| State {
        target: Some(repository.id.clone()),
        series: Some("s".to_owned()),
        point: Some(number),
        verifier: None,
    };
    inventory.refuse_older(&repository, &state(1)).unwrap();
    refused(inventory.refuse_older(&repository, &state(2)), "it is an earlier one");
    inventory.refuse_before(Utc::now() - TimeDelta::minutes(5)).unwrap();
    let late = inventory.refuse_before(Utc::now() + TimeDelta::minutes(5));
    assert!(late.is_err_and(|error| error.to_string().contains("--at-least")));
}

#[tokio::test]
async fn log_that_somebody_else_has_put_there_does_not_count_as_copied() {
    let (folder, repository) = made().await;
    let segment = "000000010000000000000001";
    let forged = folder.path().join("v2").join(layout::wal_piece("s", segment, 100, SEGMENT_BYTES));
    fs::write(&forged, b"anything").unwrap();
    let resume =
        || WalShipper::resume(&repository, "s", folder.path().to_owned(), 1, SEGMENT_BYTES, Lsn(SEGMENT_BYTES));
    assert_eq!(resume().await.unwrap().shipped(), Lsn(SEGMENT_BYTES + 100), "damaged log is copied again");
    let forger = Signer::derive(&Secret::from("a key of his own".to_owned())).unwrap();
    let name = layout::wal_piece("s", segment, 100, SEGMENT_BYTES);
    fs::write(&forged, repository.sealer.seal(&forger, &repository.id, &name, b"log").unwrap()).unwrap();
    refused(resume().await, "its signature is not that of this project's server");
}

/// The server reads manifests after each base backup, and an unsigned manifest may contain any numbers.
#[tokio::test]
async fn impossible_numbers_of_manifests_of_before_are_damage() {
    let (folder, repository) = made().await;
    let now = Utc::now();
    let last = Lsn(u64::MAX);
    let possible = manifest(now);
    let before = folder.path().join("series/x/base");
    for (number, wrong) in [
        Manifest { segment_bytes: 0, ..possible.clone() },
        Manifest { segment_bytes: 1, end: last, ..possible.clone() },
        Manifest { segment_bytes: 1 << 40, ..possible.clone() },
        Manifest { segment_bytes: SEGMENT_BYTES + 1, ..possible.clone() },
        Manifest { start: last, ..possible.clone() },
    ]
    .iter()
    .enumerate()
    {
        let base = before.join(number.to_string());
        fs::create_dir_all(&base).unwrap();
        fs::write(base.join("manifest.json"), serde_json::to_string_pretty(wrong).unwrap()).unwrap();
    }
    let inventory = Inventory::read(&repository.of_before()).await.unwrap();
    assert_eq!((inventory.bases.len(), inventory.unreadable.len()), (0, 5));
    let keep = crate::retention::Keep::default();
    let pruned = crate::prune::run_of_before(&repository, keep, std::time::Duration::from_secs(3600)).await;
    assert!(pruned.is_err_and(|error| error.to_string().contains("positions are those of no base backup")));
    // A manifest that needs the WAL of a whole timeline, and a recovery point far behind the existing WAL.
    fs::remove_dir_all(&before).unwrap();
    fs::create_dir_all(before.join("0")).unwrap();
    let huge = Manifest { end: last, mark: last, completed: now - TimeDelta::days(20), ..possible };
    fs::write(before.join("0/manifest.json"), serde_json::to_string_pretty(&huge).unwrap()).unwrap();
    fs::write(before.join("0/blobs.json"), "[]").unwrap();
    let point = Point { mark: last, marked: now, end: last, until: now, number: 1, settings: None, is_mended: false };
    fs::write(folder.path().join("series/x/point.json"), serde_json::to_string_pretty(&point).unwrap()).unwrap();
    crate::prune::run_of_before(&repository, keep, std::time::Duration::from_secs(3600)).await.unwrap();
    let inventory = Inventory::read(&repository.of_before()).await.unwrap();
    assert!(inventory.first_continuous("x").is_some());
}

/// A file is verified before it is parsed, because a list in memory takes several times the size of its text.
#[tokio::test]
async fn nothing_is_made_of_a_file_before_it_is_verified() {
    struct Never;
    impl<'de> serde::Deserialize<'de> for Never {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> std::result::Result<Self, D::Error> {
            panic!("the file is not verified")
        }
    }
    let (folder, repository) = made().await;
    let name = "series/s/point.json";
    let path = folder.path().join("v2").join(name);
    fs::write(&path, "{\n  \"end\": \"0/3000060\"\n}").unwrap();
    refused(signed_json::get::<Never>(&repository, name).await, "it has no signature");
    // A truncated file counts as damaged, not as forged.
    fs::write(&path, "{\n  \"end\": \"0/30000").unwrap();
    let damaged = signed_json::get::<Never>(&repository, name).await.map(drop);
    assert!(matches!(damaged, Err(BackupError::Damaged { .. })), "{damaged:?}");
}
