//! Chooses the names of the entries in a ZIP archive: plain file names without paths, so that extraction writes only into the target folder
//! on any system.

use std::collections::HashMap;

/// Characters that some operating systems forbid in file names, in addition to control characters.
const FORBIDDEN_CHARS: &[char] = &['/', '\\', ':', '*', '?', '"', '<', '>', '|'];
/// File names that Windows reserves for devices, with any extension.
const WINDOWS_DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];
/// Maximum length of an entry's name in bytes. Most file systems allow 255.
const MAX_NAME_BYTES: usize = 200;

/// Returns valid, distinct file names for the names in `wanted`, in the same order. Names are compared case-insensitively, as some file
/// systems do.
pub(super) fn safe(wanted: &[String]) -> Vec<String> {
    let mut taken = HashMap::new();
    wanted.iter().map(|name| free(&plain(name), &mut taken)).collect()
}

/// Returns the last segment of a path, with forbidden characters replaced.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String =
        last.chars().map(|c| if c.is_control() || FORBIDDEN_CHARS.contains(&c) { '_' } else { c }).collect();
    // Remove dots at both ends: Windows removes a trailing dot, a leading dot hides the file, and `..` is the parent folder.
    let kept = kept.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let short = shortened(kept);
    let stem = short.split('.').next().unwrap_or_default();
    if short.is_empty() || WINDOWS_DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device)) {
        return format!("file-{short}").trim_end_matches('-').to_owned();
    }
    short
}

/// Truncates a file name to [`MAX_NAME_BYTES`], keeping the extension.
fn shortened(name: &str) -> String {
    if name.len() <= MAX_NAME_BYTES {
        return name.to_owned();
    }
    let (stem, ending) = parted(name);
    let ending = if ending.len() <= 16 { ending } else { "" };
    let mut end = MAX_NAME_BYTES - ending.len();
    while !stem.is_char_boundary(end.min(stem.len())) {
        end -= 1;
    }
    format!("{}{ending}", stem.get(..end.min(stem.len())).unwrap_or_default())
}

/// Returns `name`. If an earlier entry already has this name, a number is inserted before the extension. `taken` contains the next number
/// to try for each name, so that for a thousand files with the same name only about a thousand numbers are tried.
fn free(name: &str, taken: &mut HashMap<String, usize>) -> String {
    let lower = name.to_lowercase();
    let Some(&first) = taken.get(&lower) else {
        taken.insert(lower, 2);
        return name.to_owned();
    };
    let (stem, ending) = parted(name);
    let mut number = first;
    loop {
        let candidate = format!("{stem} ({number}){ending}");
        let lower_candidate = candidate.to_lowercase();
        number += 1;
        if !taken.contains_key(&lower_candidate) {
            taken.insert(lower_candidate, 2);
            taken.insert(lower, number);
            return candidate;
        }
    }
}

/// Splits a file name into its stem and its extension including the dot.
fn parted(name: &str) -> (&str, &str) {
    name.rfind('.').filter(|at| *at > 0).map_or((name, ""), |at| name.split_at(at))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn names(wanted: &[&str]) -> Vec<String> {
        safe(&wanted.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn nothing_points_out_of_the_folder() {
        for (wanted, name) in [
            ("../../etc/passwd", "passwd"),
            ("..", "file"),
            ("C:\\Windows\\system.ini", "system.ini"),
            ("/", "file"),
            ("a\0b\n.jpg", "a_b_.jpg"),
            ("nul.txt", "file-nul.txt"),
            ("x?.png.", "x_.png"),
            ("Zoë's picture.jpg", "Zoë's picture.jpg"),
        ] {
            assert_eq!(names(&[wanted]), [name]);
        }
    }

    #[test]
    fn no_two_are_alike() {
        assert_eq!(
            names(&["a/x.jpg", "b/X.jpg", "c/x.jpg", "x (2).jpg"]),
            ["x.jpg", "X (2).jpg", "x (3).jpg", "x (2) (2).jpg"]
        );
    }

    proptest! {
        #[test]
        fn every_name_is_a_file_name(wanted in proptest::collection::vec("\\PC{0,300}|[./\\\\a]{0,8}", 1..8)) {
            let made = safe(&wanted);
            let distinct: HashSet<String> = made.iter().map(|name| name.to_lowercase()).collect();
            prop_assert_eq!(distinct.len(), made.len());
            for name in made {
                prop_assert!(!name.is_empty() && name.len() < 230 && name != "." && name != "..");
                prop_assert!(!name.contains(['/', '\\', '\0', ':']));
            }
        }
    }
}
