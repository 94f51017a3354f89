//! The `X-Robots-Tag` of an object: what crawlers understand, and nothing else.

use crate::error::{Error, Result};

/// Served with objects that carry no tag of their own: files of a project are not for search engines unless it says so.
pub(crate) const DEFAULT: &str = "none";

const SIMPLE: [&str; 8] =
    ["all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "notranslate", "noimageindex"];

/// Checks a tag: rules separated by commas, each possibly after `user-agent:`.
///
/// # Errors
/// [`Error::InvalidRobotsTag`] with the first rule that is none.
pub(crate) fn check(tag: &str) -> Result<()> {
    let mut rest = tag.trim();
    loop {
        // A date may hold commas, so `unavailable_after` takes all that follows.
        let (rule, tail) = match rest.split_once(',') {
            Some((rule, tail)) if !rest.starts_with("unavailable_after:") => (rule.trim(), Some(tail.trim())),
            _ => (rest, None),
        };
        check_rule(rule)?;
        match tail {
            Some(tail) => rest = tail,
            None => return Ok(()),
        }
    }
}

fn check_rule(rule: &str) -> Result<()> {
    let refused = || Error::InvalidRobotsTag(rule.to_owned());
    if SIMPLE.contains(&rule) {
        return Ok(());
    }
    let (name, value) = rule.split_once(':').ok_or_else(refused)?;
    let value = value.trim();
    let fits = match name.trim() {
        "max-snippet" | "max-video-preview" => value.parse::<i64>().is_ok_and(|number| number >= -1),
        "max-image-preview" => ["none", "standard", "large"].contains(&value),
        "unavailable_after" => !value.is_empty(),
        // Anything else before a colon is the name of a crawler.
        "" => false,
        _ => return check(value),
    };
    if fits { Ok(()) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_unknown_rules() {
        for tag in [
            "bogus",
            "",
            "noindex, bogus",
            "max-snippet: x",
            "max-image-preview: huge",
            "googlebot:",
            "googlebot: bogus",
            ",",
        ] {
            assert!(check(tag).is_err(), "{tag}");
        }
    }

    #[test]
    fn accepts_the_known_ones() {
        for tag in [
            "all",
            "noindex, nofollow",
            "googlebot: noindex, nosnippet",
            "max-snippet: 20, max-image-preview: large",
            "unavailable_after: Wed, 21 Oct 2026 07:28:00 GMT",
        ] {
            assert!(check(tag).is_ok(), "{tag}");
        }
    }
}
