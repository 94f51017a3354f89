//! Settings of storage.

use serde_json::json;

use super::{Group, Kind, Names, Spec, size};

pub(super) const GROUPS: &[Group] =
    &[Group { name: "storage", title: "Storage", names: Names::None, settings: STORAGE }];

const STORAGE: &[Spec] = &[
    Spec::config("storage.file_size_limit", Kind::Size, "Maximum size of a file", |f, _| {
        size(f.config.storage.file_size_limit)
    })
    .hint("A bucket can have a lower limit."),
    Spec::cloch("storage.quota", Kind::Size, "Maximum size of all files together", |f, _| {
        json!(f.cloch.storage.quota.map(size))
    }),
    Spec::cloch("storage.min_free", Kind::Size, "Disk space that uploads leave free", |f, _| {
        json!(f.cloch.storage.min_free.map(size))
    })
    .hint("Without a value, a twentieth of the disk, at most 1 GiB."),
    Spec::config("storage.image_transformation.enabled", Kind::Switch, "Images are resized on request", |f, _| {
        json!(f.config.storage.image_transformation.is_none_or(|switch| switch.enabled))
    }),
    Spec::config("storage.s3_protocol.enabled", Kind::Switch, "Files are served with the S3 protocol", |f, _| {
        json!(f.config.storage.s3_protocol.enabled)
    }),
];
