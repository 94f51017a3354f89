//! Validates names of buckets and objects: only characters that are safe in S3 keys and URLs.
//!
//! Names are never used as file paths; content is stored only under the UUID of a version (see [`crate::backend::BlobKey`]). The rules are
//! the same as in Supabase Storage, so that names stay portable to S3 and to other servers with this API.

use crate::error::{Error, Result};

/// Name suffix of the objects with which the Supabase dashboard represents empty folders.
const EMPTY_FOLDER_SUFFIX: &str = ".emptyFolderPlaceholder";
/// Suffix of bucket names that is reserved for analytics tables, which are not buckets.
const RESERVED_SUFFIX: &str = "--table-s3";
const MAX_BUCKET_NAME_CHARS: usize = 100;
/// S3's maximum length of an object key in bytes.
const MAX_OBJECT_NAME_BYTES: usize = 1024;

fn is_safe(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_!-.*'() &$=@;:+,?".contains(character)
}

/// Checks the name of an object to be stored, signed or served: not empty, only safe characters, no segments `.` or `..`.
///
/// # Errors
/// [`Error::InvalidKey`] with the invalid object name.
pub(crate) fn valid_object(name: &str) -> Result<&str> {
    let safe = !name.is_empty()
        && name.len() <= MAX_OBJECT_NAME_BYTES
        && name.chars().all(|character| character == '/' || is_safe(character));
    if !safe {
        return Err(Error::InvalidKey(name.to_owned()));
    }
    if name.split('/').any(|segment| segment == "." || segment == "..") {
        return Err(Error::InvalidKey(format!("{name} contains dot path segment")));
    }
    Ok(name)
}

/// Checks the name of a bucket: only safe characters and a valid length.
///
/// # Errors
/// [`Error::InvalidBucketName`] if the name is invalid.
pub(crate) fn valid_bucket(name: &str) -> Result<&str> {
    let length = name.chars().count();
    if (1..=MAX_BUCKET_NAME_CHARS).contains(&length) && name.chars().all(is_safe) {
        Ok(name)
    } else {
        Err(Error::InvalidBucketName)
    }
}

/// Checks the name of a new bucket: only safe characters, a valid length, no leading or trailing spaces, and no reserved suffix.
///
/// # Errors
/// [`Error::InvalidBucketName`] if the name is invalid.
pub(crate) fn valid_new_bucket(name: &str) -> Result<&str> {
    let name = valid_bucket(name)?;
    if name.trim() == name && !name.ends_with(RESERVED_SUFFIX) { Ok(name) } else { Err(Error::InvalidBucketName) }
}

/// Whether an object with this name represents an empty folder. The object has no content and no media type.
pub(crate) fn is_empty_folder(name: &str) -> bool {
    name.ends_with(EMPTY_FOLDER_SUFFIX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn refuses_what_is_unsafe() {
        for name in
            ["", "a#b", "a%b", "ä", "a\\b", "a\"b", "a\nb", "a\0b", "a[b", "~a", "../a", "a/..", "a/./b", ".", ".."]
        {
            assert!(valid_object(name).is_err(), "{name:?}");
        }
        for name in ["", "a/b", "ä", "a#b"] {
            assert!(valid_bucket(name).is_err(), "{name:?}");
        }
        for name in [" a", "a ", "x--table-s3"] {
            assert!(valid_new_bucket(name).is_err(), "{name:?}");
        }
        assert!(valid_bucket(&"a".repeat(101)).is_err());
    }

    #[test]
    fn accepts_what_clients_use() {
        for name in
            ["a.txt", "folder/a b.txt", "/lead", "trail/", "a//b", "it's (1) & $=@;:+,?!*.png", "..a/b..", "..."]
        {
            assert_eq!(valid_object(name).unwrap(), name);
        }
        assert!(valid_bucket(&"a".repeat(100)).is_ok());
        assert!(valid_new_bucket("..").is_ok());
    }

    proptest! {
        #[test]
        fn a_valid_name_is_ascii_without_dot_segments(name in ".{0,40}") {
            if valid_object(&name).is_ok() {
                prop_assert!(name.is_ascii() && !name.contains(['\\', '\0', '%']));
                prop_assert!(name.split('/').all(|segment| segment != ".." && segment != "."));
            }
        }
    }
}
