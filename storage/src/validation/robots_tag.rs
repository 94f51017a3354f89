//! Validates the `X-Robots-Tag` of an object: accepts only rules that crawlers support.

use crate::error::{Error, Result};

/// `X-Robots-Tag` of objects without an explicit tag: by default, search engines do not index a project's files.
pub(crate) const DEFAULT: &str = "none";

const RULES: [&str; 8] =
    ["all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "notranslate", "noimageindex"];

/// Crawler rules that have a value after a colon. Any other name before a colon is the name of a crawler.
const RULES_WITH_VALUE: [&str; 4] = ["max-snippet", "max-video-preview", "max-image-preview", UNAVAILABLE_AFTER];
const UNAVAILABLE_AFTER: &str = "unavailable_after";

/// Maximum length of an `X-Robots-Tag` in bytes, because every response with the object contains the tag.
const MAX_TAG_BYTES: usize = 1024;

/// Checks an `X-Robots-Tag`: rules separated by commas. Each rule may begin with the name of a crawler and a colon.
///
/// # Errors
/// [`Error::InvalidRobotsTag`] with the first invalid rule.
pub(crate) fn check(tag: &str) -> Result<()> {
    if tag.len() > MAX_TAG_BYTES {
        return Err(Error::InvalidRobotsTag("a tag longer than 1024 bytes".to_owned()));
    }
    let mut rest = Some(tag);
    while let Some(rules) = rest {
        let rules = without_crawler(rules.trim());
        // The date of an `unavailable_after` rule may contain commas, so this rule extends to the end of the tag.
        let is_date = name_of(rules) == Some(UNAVAILABLE_AFTER);
        let (rule, tail) = match rules.split_once(',') {
            Some((rule, tail)) if !is_date => (rule.trim(), Some(tail)),
            _ => (rules, None),
        };
        if !is_rule(rule) {
            return Err(Error::InvalidRobotsTag(rule.to_owned()));
        }
        rest = tail;
    }
    Ok(())
}

/// Returns the name before the first colon in the first rule of the tag; `None` if the first rule contains no colon.
fn name_of(rules: &str) -> Option<&str> {
    rules.split(',').next()?.split_once(':').map(|(name, _)| name.trim())
}

/// Returns the rules without the name of a crawler at the beginning of the first rule. Only one name is removed. A second name is therefore
/// refused as an unknown rule.
fn without_crawler(rules: &str) -> &str {
    match name_of(rules) {
        Some(name) if !name.is_empty() && !RULES_WITH_VALUE.contains(&name) => {
            rules.split_once(':').map_or(rules, |(_, rules)| rules.trim())
        }
        _ => rules,
    }
}

fn is_rule(rule: &str) -> bool {
    let Some((name, value)) = rule.split_once(':') else { return RULES.contains(&rule) };
    let value = value.trim();
    match name.trim() {
        "max-snippet" | "max-video-preview" => value.parse::<i64>().is_ok_and(|number| number >= -1),
        "max-image-preview" => ["none", "standard", "large"].contains(&value),
        UNAVAILABLE_AFTER => !value.is_empty(),
        _ => false,
    }
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
            "googlebot: bingbot: noindex",
            "noindex,",
            ",",
        ] {
            assert!(check(tag).is_err(), "{tag}");
        }
    }

    #[test]
    fn refuses_long_tags() {
        let rules = "noindex, ".repeat(200) + "noindex";
        assert!(check(&rules).is_err());
    }

    #[test]
    fn accepts_the_known_ones() {
        for tag in [
            "all",
            "noindex, nofollow",
            "googlebot: noindex, nosnippet",
            "noindex, googlebot: max-snippet: 20",
            "max-snippet: 20, max-image-preview: large",
            "unavailable_after: Wed, 21 Oct 2026 07:28:00 GMT",
            "googlebot: unavailable_after: Wed, 21 Oct 2026 07:28:00 GMT",
        ] {
            assert!(check(tag).is_ok(), "{tag}");
        }
    }
}
