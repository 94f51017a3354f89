//! Matches names against glob patterns with the rules of Go's `path.Match`. `*` (or several `*` in a row) matches any text without `/`;
//! `?` matches one character; `[a-z]` and `[^a]` match one character of a set; `\` makes the next character literal.

/// A valid pattern: every character class is closed, and every `\` is followed by a character.
#[derive(Clone, Debug)]
pub(super) struct Matcher(Vec<Chunk>);

/// A part of a pattern: a sequence of terms, and whether a `*` precedes this sequence. Each term matches one character.
#[derive(Clone, Debug, Default)]
struct Chunk {
    follows_star: bool,
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
enum Term {
    Byte(u8),
    AnyCharacter,
    Class { is_negated: bool, ranges: Vec<(char, char)> },
}

impl Matcher {
    /// Parses a pattern. Returns `None` for a pattern that Go refuses with `ErrBadPattern`.
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        let mut chunks = vec![Chunk::default()];
        let mut rest = pattern.chars();
        while let Some(character) = rest.next() {
            let term = match character {
                '*' => {
                    if chunks.last().is_none_or(|chunk| !chunk.follows_star || !chunk.terms.is_empty()) {
                        chunks.push(Chunk { follows_star: true, terms: Vec::new() });
                    }
                    continue;
                }
                '?' => vec![Term::AnyCharacter],
                '[' => vec![class(&mut rest)?],
                '\\' => bytes(rest.next()?),
                literal => bytes(literal),
            };
            chunks.last_mut()?.terms.extend(term);
        }
        Some(Self(chunks))
    }

    /// Whether the pattern matches the whole name.
    pub(super) fn matches(&self, mut name: &[u8]) -> bool {
        for (index, chunk) in self.0.iter().enumerate() {
            let is_last = index + 1 == self.0.len();
            if is_last && chunk.follows_star && chunk.terms.is_empty() {
                return !name.contains(&b'/');
            }
            // Only the `*` before the next chunk can match the text between the end of this chunk and the next chunk. Therefore the last
            // chunk must match up to the end of the name. For every other chunk, the first possible position suffices, because the next `*`
            // matches the text up to any later position.
            let accepts =
                |place: &[u8]| chunk.matches_start(place).filter(|left| !is_last || left.is_empty()).map(<[u8]>::len);
            let folder = name.iter().position(|byte| *byte == b'/').unwrap_or(name.len());
            let places = if chunk.follows_star { folder } else { 0 };
            let Some(left) = (0..=places).find_map(|place| accepts(name.get(place..)?)) else { return false };
            name = name.get(name.len() - left..).unwrap_or_default();
        }
        name.is_empty()
    }
}

impl Chunk {
    /// Matches the terms with the beginning of the name. Returns the rest of the name, or `None` if the terms do not match.
    fn matches_start<'a>(&self, name: &'a [u8]) -> Option<&'a [u8]> {
        self.terms.iter().try_fold(name, |name, term| match term {
            Term::Byte(byte) => name.strip_prefix(std::slice::from_ref(byte)),
            Term::AnyCharacter => first_character(name).filter(|(first, _)| *first != '/').map(|(_, rest)| rest),
            Term::Class { is_negated, ranges } => {
                let (first, rest) = first_character(name)?;
                let is_in_range = ranges.iter().any(|(low, high)| (*low..=*high).contains(&first));
                (is_in_range != *is_negated).then_some(rest)
            }
        })
    }
}

/// Splits the first character from a name. As in Go, a byte that is not valid UTF-8 is the character U+FFFD.
fn first_character(name: &[u8]) -> Option<(char, &[u8])> {
    let start = name.get(..name.len().min(4))?;
    let first = start.utf8_chunks().next()?.valid().chars().next();
    let length = first.map_or(1, char::len_utf8);
    Some((first.unwrap_or(char::REPLACEMENT_CHARACTER), name.get(length..)?))
}

fn bytes(character: char) -> Vec<Term> {
    character.encode_utf8(&mut [0; 4]).bytes().map(Term::Byte).collect()
}

/// Parses a character class, such as `[a-z]`. The opening `[` has already been consumed. `None` if the class is invalid.
fn class(rest: &mut std::str::Chars<'_>) -> Option<Term> {
    let is_negated = rest.as_str().starts_with('^');
    if is_negated {
        rest.next();
    }
    let mut ranges = Vec::new();
    while ranges.is_empty() || !rest.as_str().starts_with(']') {
        let low = class_character(rest)?;
        let is_range = rest.as_str().starts_with('-');
        if is_range {
            rest.next();
        }
        ranges.push((low, if is_range { class_character(rest)? } else { low }));
    }
    rest.next();
    Some(Term::Class { is_negated, ranges })
}

fn class_character(rest: &mut std::str::Chars<'_>) -> Option<char> {
    match rest.next()? {
        '-' | ']' => None,
        '\\' => rest.next(),
        character => Some(character),
    }
}
