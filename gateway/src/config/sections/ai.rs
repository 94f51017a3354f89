//! Warns if the section `[ai]` of cloch.toml refers to environment variables that are not set. The section is optional, so the server starts
//! without it.

use crate::config::TomlFile;

/// Returns the warning about unset environment variables in `[ai]`; `None` if all are set.
pub(in crate::config) fn unset(source: &TomlFile) -> Option<String> {
    let unset: Vec<(String, String)> =
        source.left_variables().into_iter().filter(|(key, _)| key.starts_with("ai.")).collect();
    let (first, _) = unset.first()?;
    let names: Vec<&str> = unset.iter().map(|(_, name)| name.as_str()).collect();
    let message = format!(
        "[ai] takes values from variables that are not set ({}): functions that need a language model work without it, or fail",
        names.join(", ")
    );
    Some(source.located(first, &message))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn all_unset_variables_are_one_warning() {
        let read = |text: &str| TomlFile::parse(Path::new("cloch.toml"), text.to_owned(), |_| None).unwrap();
        let text = "[ai]\nbase_url = \"env(URL)\"\napi_key = \"env(KEY)\"\nmodel = \"small\"\n";
        let warning = unset(&read(text)).unwrap();
        assert!(warning.starts_with("cloch.toml, line "), "{warning}");
        assert!(warning.contains("KEY") && warning.contains("URL"), "{warning}");
        assert_eq!(unset(&read("[ai]\nmodel = \"small\"\n[other]\nkey = \"env(KEY)\"\n")), None);
    }
}
