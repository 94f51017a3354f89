//! Parses one-dimensional arrays in PostgreSQL's text format, such as `{1,NULL,"a \"b\""}`.
//! <https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>

use std::borrow::Cow;

/// Text of an array element; `None` for SQL NULL.
pub(super) type Element<'a> = Option<Cow<'a, [u8]>>;

/// The remaining text of an array that has not been parsed yet.
#[derive(Debug)]
pub(super) struct Elements<'a>(&'a [u8]);

impl<'a> Elements<'a> {
    /// Starts parsing an array in PostgreSQL's text format. Returns `None` if the text is not enclosed in braces.
    pub(super) fn of(text: &'a [u8]) -> Option<Self> {
        text.strip_prefix(b"{")?.strip_suffix(b"}").map(Self)
    }

    /// Whether all elements of the array have been parsed.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses the next element. Returns `None` at the end of the array, or if the remaining text is malformed.
    pub(super) fn take(&mut self) -> Option<Element<'a>> {
        let (element, rest) = match self.0.strip_prefix(b"\"") {
            Some(quoted) => take_quoted(quoted)?,
            None => take_bare(self.0)?,
        };
        self.0 = match rest.split_first() {
            None => rest,
            // An element must follow a comma, and an unquoted element is never empty.
            Some((b',', more)) if !more.is_empty() => more,
            Some(_) => return None,
        };
        Some(element)
    }
}

fn take_bare(text: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let end = text.iter().position(|&byte| byte == b',').unwrap_or(text.len());
    let (element, rest) = text.split_at_checked(end)?;
    if element.is_empty() || element.iter().any(|byte| matches!(byte, b'{' | b'}' | b'"' | b'\\')) {
        return None;
    }
    Some(((element != b"NULL").then_some(Cow::Borrowed(element)), rest))
}

fn take_quoted(text: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let mut clean: Option<Vec<u8>> = None;
    let mut rest = text;
    loop {
        let at = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        let (before, after) = rest.split_at_checked(at)?;
        let (mark, after) = after.split_first()?;
        if *mark == b'"' {
            let element = match clean {
                None => Cow::Borrowed(before),
                Some(mut clean) => {
                    clean.extend_from_slice(before);
                    Cow::Owned(clean)
                }
            };
            return Some((Some(element), after));
        }
        let (escaped, after) = after.split_first()?;
        let clean = clean.get_or_insert_default();
        clean.extend_from_slice(before);
        clean.push(*escaped);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Option<Vec<Option<String>>> {
        let mut elements = Elements::of(text.as_bytes())?;
        let mut all = Vec::new();
        while !elements.is_empty() {
            all.push(elements.take()?.map(|element| String::from_utf8(element.into_owned()).unwrap()));
        }
        Some(all)
    }

    fn some(texts: &[&str]) -> Option<Vec<Option<String>>> {
        Some(texts.iter().map(|text| Some((*text).to_owned())).collect())
    }

    #[test]
    fn elements_are_taken_as_postgresql_writes_them() {
        assert_eq!(all("{}"), some(&[]));
        assert_eq!(all("{1,-2.5}"), some(&["1", "-2.5"]));
        assert_eq!(
            all(r#"{"","NULL",a,"b, c","{}","say \"x\" \\ y"}"#),
            some(&["", "NULL", "a", "b, c", "{}", r#"say "x" \ y"#])
        );
        assert_eq!(all("{NULL,a}"), Some(vec![None, Some("a".to_owned())]));
    }

    #[test]
    fn what_is_no_array_of_one_dimension_is_refused() {
        for text in [
            "",
            "1",
            "{",
            "{1",
            "1}",
            "{1,}",
            "{,1}",
            "{,}",
            r#"{"a}"#,
            r#"{"a"b}"#,
            r#"{a"b"}"#,
            r#"{"a\"}"#,
            "{{1},{2}}",
            "[2:3]={1,2}",
        ] {
            assert_eq!(all(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), proptest::sample::select(&b"{},\"\\N"[..])], 0..40)) {
            if let Some(mut elements) = Elements::of(&bytes) {
                while !elements.is_empty() && elements.take().is_some() {}
            }
        }
    }
}
