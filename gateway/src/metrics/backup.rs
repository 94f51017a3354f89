//! Metrics of the backup and of the restore drill, read from the status file of the backup task.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use chrono::{DateTime, Utc};
use cloch_backup::status::Status;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug)]
pub(super) struct Backup {
    folder: PathBuf,
    restorable_age: Gauge<f64, AtomicU64>,
    base_age: Gauge<f64, AtomicU64>,
    drill_age: Gauge<f64, AtomicU64>,
    drill_failed: Gauge,
    waiting_files: Gauge,
    tampered: Gauge,
}

impl Backup {
    pub(super) fn new(folder: PathBuf, registry: &mut Registry) -> Self {
        let backup = Self {
            folder,
            restorable_age: Gauge::default(),
            base_age: Gauge::default(),
            drill_age: Gauge::default(),
            drill_failed: Gauge::default(),
            waiting_files: Gauge::default(),
            tampered: Gauge::default(),
        };
        let ages = [
            ("restorable", "Seconds since the last moment that can be restored", &backup.restorable_age),
            ("base", "Seconds since the last base backup", &backup.base_age),
            (
                "drill",
                "Seconds since the last drill that found everything, or since there is a backup",
                &backup.drill_age,
            ),
        ];
        for (name, help, age) in ages {
            registry.register(format!("cloch_backup_{name}_age_seconds"), help, Gauge::clone(age));
        }
        registry.register("cloch_backup_drill_failed", "1 if the last drill failed", backup.drill_failed.clone());
        registry.register(
            "cloch_backup_tampered",
            "1 if the target is not what the server left there, so that nothing is backed up",
            backup.tampered.clone(),
        );
        registry.register("cloch_backup_waiting_files", "Files without a copy yet", backup.waiting_files.clone());
        backup
    }

    pub(super) fn measure(&self) {
        let status = Status::read(&self.folder).unwrap_or_default();
        // If an event has never happened, its age is computed from 1970. This age is so large that an alert on the age is raised.
        let age = |at: Option<DateTime<Utc>>| (Utc::now() - at.unwrap_or_default()).as_seconds_f64();
        self.restorable_age.set(age(status.restorable_until));
        self.base_age.set(age(status.last_base));
        self.drill_age.set(age(status.last_good_drill.or(status.drills_since).or(Some(Utc::now()))));
        self.drill_failed.set(i64::from(status.last_drill.is_some_and(|drill| drill.failure.is_some())));
        self.tampered.set(i64::from(status.is_tampered));
        self.waiting_files.set(i64::try_from(status.waiting_files).unwrap_or(i64::MAX));
    }
}
