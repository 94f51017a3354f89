//! Parses and compares lists of entity tags in conditional headers (RFC 9110, 8.8.3 and 13.1).

use axum::http::HeaderMap;

/// The entity tags in a conditional header. If a request contains the same header several times, the tags of all these headers are
/// combined.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntityTags<'a> {
    headers: &'a HeaderMap,
    name: &'static str,
}

/// An entity tag. `opaque` excludes the quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EntityTag<'a> {
    is_weak: bool,
    opaque: &'a [u8],
}

impl<'a> EntityTags<'a> {
    pub(super) fn of(headers: &'a HeaderMap, name: &'static str) -> Self {
        Self { headers, name }
    }

    /// Whether the current entity tag matches `If-Match`. The comparison is strong: weak tags never match (RFC 9110, 8.8.3.2).
    pub(super) fn match_strongly(self, current: Option<&str>) -> bool {
        self.is_any() || self.tags().any(|tag| is_strong_match(tag, current))
    }

    /// Whether the current entity tag matches `If-None-Match`. The comparison is weak: a weak tag equals the strong tag with the same text.
    pub(super) fn match_weakly(self, current: Option<&str>) -> bool {
        let current = current.and_then(one);
        self.is_any() || self.tags().any(|tag| current.is_some_and(|current| current.opaque == tag.opaque))
    }

    /// Whether `If-Range` contains exactly one entity tag, and this tag strongly matches the current entity tag.
    pub(super) fn is_one_strong(self, current: Option<&str>) -> bool {
        let mut tags = self.tags();
        matches!((tags.next(), tags.next()), (Some(tag), None) if is_strong_match(tag, current))
    }

    /// Whether the header is `*`. This value is valid only if the request has no further value of this header.
    fn is_any(self) -> bool {
        let mut lines = self.headers.get_all(self.name).iter();
        matches!((lines.next(), lines.next()), (Some(line), None) if line.as_bytes().trim_ascii() == b"*")
    }

    fn tags(self) -> impl Iterator<Item = EntityTag<'a>> {
        self.headers.get_all(self.name).iter().flat_map(|line| Tags(line.as_bytes()))
    }
}

fn is_strong_match(tag: EntityTag<'_>, current: Option<&str>) -> bool {
    !tag.is_weak && current.and_then(one) == Some(tag)
}

/// Parses the entity tag of an object, as stored in the object's row. `None` if the text contains no entity tag.
fn one(text: &str) -> Option<EntityTag<'_>> {
    Tags(text.as_bytes()).next()
}

/// Iterator over the entity tags of a header line. A tag without quotes is accepted as if it had quotes, as Amazon S3 does, because tools for
/// S3 send tags without quotes.
struct Tags<'a>(&'a [u8]);

impl<'a> Iterator for Tags<'a> {
    type Item = EntityTag<'a>;

    fn next(&mut self) -> Option<EntityTag<'a>> {
        let is_separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b',');
        let start = self.0.iter().position(|byte| !is_separator(byte))?;
        let line = self.0.get(start..)?;
        let (is_weak, rest) = line.strip_prefix(b"W/").map_or((false, line), |rest| (true, rest));
        let (opaque, rest) = match rest.strip_prefix(b"\"") {
            // A quoted tag may contain commas. A tag without a closing quote matches no representation.
            Some(quoted) => match quoted.iter().position(|byte| *byte == b'"') {
                Some(end) => (quoted.get(..end)?, quoted.get(end + 1..)?),
                None => {
                    self.0 = &[];
                    return None;
                }
            },
            None => {
                let end = rest.iter().position(is_separator).unwrap_or(rest.len());
                rest.split_at_checked(end)?
            }
        };
        self.0 = rest;
        Some(EntityTag { is_weak, opaque })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<(bool, String)> {
        Tags(line.as_bytes()).map(|tag| (tag.is_weak, String::from_utf8_lossy(tag.opaque).into_owned())).collect()
    }

    #[test]
    fn tags_of_a_line() {
        let tag = |is_weak, text: &str| (is_weak, text.to_owned());
        assert_eq!(texts("\"a\",W/\"b, c\" ,, \t \"\""), [tag(false, "a"), tag(true, "b, c"), tag(false, "")]);
        assert_eq!(texts("a,b"), [tag(false, "a"), tag(false, "b")]);
        assert_eq!(texts("\"a\", \"never ends"), [tag(false, "a")]);
        assert_eq!(texts(" , "), []);
    }
}
