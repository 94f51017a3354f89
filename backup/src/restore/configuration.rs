//! Replaces the configuration of a restored cluster with a configuration that Cloch writes. The configuration in the backup may name
//! programs and libraries (`recovery_end_command`, `archive_command`, `session_preload_libraries`, …). These were chosen for the backed-up
//! server, or by the unknown author of an unauthenticated backup.

use std::fs;
use std::path::Path;

use super::staging::Draft;
use crate::error::{BackupError, Result};

/// Contents of postgresql.conf: the settings that initdb writes and that differ from PostgreSQL's defaults. Cloch passes its other settings as
/// arguments of the server.
const SETTINGS: &str = "# Written by cloch restore. The settings of the backup are in postgresql.conf.restored and postgresql.auto.conf.restored,\n\
                        # which are not read.\n\
                        datestyle = 'iso, mdy'\n\
                        default_text_search_config = 'pg_catalog.english'\n";
/// Contents of pg_hba.conf: the access rules that initdb writes with `--auth=scram-sha-256`.
const ACCESS: &str = "# Written by cloch restore.\n\
                      local all all scram-sha-256\n\
                      host all all 127.0.0.1/32 scram-sha-256\n\
                      host all all ::1/128 scram-sha-256\n\
                      local replication all scram-sha-256\n\
                      host replication all 127.0.0.1/32 scram-sha-256\n\
                      host replication all ::1/128 scram-sha-256\n";
/// Configuration files of PostgreSQL with the contents that replace the restored ones.
const FILES: [(&str, &str); 4] =
    [("postgresql.conf", SETTINGS), ("postgresql.auto.conf", ""), ("pg_hba.conf", ACCESS), ("pg_ident.conf", "")];
/// Files because of which PostgreSQL would start a database cluster as a standby or in recovery. The restore deletes them.
const SIGNALS: [&str; 2] = ["recovery.signal", "standby.signal"];
/// First major version of PostgreSQL with the setting `event_triggers`.
const EVENT_TRIGGERS_SINCE: u32 = 17;

/// Replaces the configuration files of the restored cluster. Call this function after all files were compared with PostgreSQL's `backup_manifest`.
///
/// # Errors
/// If the cluster has tablespaces (links to other folders), or a file cannot be written.
pub(super) fn replace(draft: &Draft) -> Result<()> {
    let folder = &draft.cluster;
    if let Some(name) = tablespace(folder)? {
        return Err(BackupError::Refused(format!(
            "the backup has a tablespace ({name}), which leads to another folder of the machine"
        )));
    }
    for name in SIGNALS {
        remove(&folder.join(name))?;
    }
    for (name, text) in FILES {
        let (path, old) = (folder.join(name), folder.join(format!("{name}.restored")));
        remove(&old)?;
        match fs::rename(&path, &old) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(BackupError::io(&path)(error)),
            _ => {}
        }
        fs::write(&path, text).map_err(BackupError::io(&path))?;
        draft.account.own(&path)?;
    }
    Ok(())
}

/// Returns the PostgreSQL server's arguments for the restore. They disable all programs and libraries that settings of the backup could
/// start or load.
pub(super) fn parameters(version: &str) -> Vec<(&'static str, String)> {
    let mut parameters: Vec<(&'static str, String)> = [
        ("archive_mode", "off"),
        ("archive_command", ""),
        ("archive_library", ""),
        ("archive_cleanup_command", ""),
        ("recovery_end_command", ""),
        // pg_wal already contains the WAL, so replay must not fetch WAL.
        ("restore_command", "false"),
        ("primary_conninfo", ""),
        ("session_preload_libraries", ""),
        ("local_preload_libraries", ""),
        ("dynamic_library_path", "$libdir"),
        ("ssl", "off"),
        ("ssl_passphrase_command", ""),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into();
    if version.parse::<u32>().is_ok_and(|version| version >= EVENT_TRIGGERS_SINCE) {
        parameters.push(("event_triggers", "off".to_owned()));
    }
    parameters
}

/// Returns the name of the first tablespace of the restored cluster, or `None` if there is none.
fn tablespace(folder: &Path) -> Result<Option<String>> {
    // pg_basebackup writes an empty tablespace_map if there is no tablespace.
    if fs::metadata(folder.join("tablespace_map")).is_ok_and(|map| map.len() > 0) {
        return Ok(Some("tablespace_map".to_owned()));
    }
    let links = folder.join("pg_tblspc");
    let mut entries = fs::read_dir(&links).map_err(BackupError::io(&links))?;
    let first = entries.next().transpose().map_err(BackupError::io(&links))?;
    Ok(first.map(|entry| format!("pg_tblspc/{}", entry.file_name().to_string_lossy())))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(BackupError::io(path)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_old_configuration_is_read() {
        let place = tempfile::tempdir().unwrap();
        let draft = Draft::make(&place.path().join("data")).unwrap();
        let put = |name: &str, text: &str| fs::write(draft.cluster.join(name), text).unwrap();
        fs::create_dir(draft.cluster.join("pg_tblspc")).unwrap();
        put("postgresql.conf", "include_dir = 'conf.d'\narchive_command = 'touch /tmp/x'\n");
        put("postgresql.auto.conf", "recovery_end_command = 'touch /tmp/x'\n");
        put("pg_hba.conf", "host all all all trust\n");
        put("standby.signal", "");
        put("tablespace_map", "");
        replace(&draft).unwrap();
        let read = |name: &str| fs::read_to_string(draft.cluster.join(name)).unwrap();
        assert_eq!(read("postgresql.auto.conf"), "");
        for name in ["postgresql.conf", "postgresql.auto.conf", "pg_hba.conf"] {
            let text = read(name);
            assert!(!["include", "_command", "trust"].iter().any(|word| text.contains(word)), "{name}: {text}");
        }
        assert!(!draft.cluster.join("standby.signal").exists());
        assert!(read("postgresql.auto.conf.restored").contains("recovery_end_command"), "kept to be read by people");
        put("tablespace_map", "16384 /etc\n");
        assert!(replace(&draft).is_err_and(|error| error.to_string().contains("tablespace")));
    }

    #[test]
    fn event_triggers_are_off_where_they_can_be() {
        let names = |version| parameters(version).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert!(names("17").contains(&"event_triggers") && !names("16").contains(&"event_triggers"));
    }
}
