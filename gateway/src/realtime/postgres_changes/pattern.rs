//! Patterns of filters (`like`, `match` and their forms without case), evaluated by an engine whose time is linear in the value.
//!
//! PostgreSQL's engine takes exponential time for some expressions, such as those with back references. An expression is translated only if
//! both engines give it the same meaning; all others are left to PostgreSQL, with [`super::row::FILTER_TIMEOUT`].

use regex::{Regex, RegexBuilder};

/// Longest value that is matched here, in bytes: with [`MAX_PROGRAM_BYTES`] it bounds the time to some milliseconds.
const MAX_VALUE_BYTES: usize = 16 * 1024;
/// Bytes of a compiled expression.
const MAX_PROGRAM_BYTES: usize = 32 * 1024;
/// Bytes of the cache of an expression's automaton.
const MAX_AUTOMATON_BYTES: usize = 64 * 1024;
/// Nesting depth of groups.
const MAX_GROUP_DEPTH: usize = 20;
/// PostgreSQL's largest repetition bound (`DUPMAX`).
const MAX_BOUND: u16 = 255;

/// A translated pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// Beyond ASCII, character classes and letter case depend on the database's locale.
    is_ascii_only: bool,
}

impl Pattern {
    /// Translates a LIKE pattern; `None` if PostgreSQL has to evaluate it.
    pub(super) fn like(pattern: &str, ignore_case: bool) -> Option<Self> {
        let mut translated = String::from(r"\A");
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            match character {
                '%' => translated.push_str(".*"),
                '_' => translated.push('.'),
                '\\' => push_literal(&mut translated, characters.next()?),
                literal => push_literal(&mut translated, literal),
            }
        }
        translated.push_str(r"\z");
        Self::compile(&translated, pattern, ignore_case, false)
    }

    /// Translates a PostgreSQL advanced regular expression; `None` if PostgreSQL has to evaluate it.
    pub(super) fn regex(pattern: &str, ignore_case: bool) -> Option<Self> {
        let mut translation = Translation::default();
        let mut rest = pattern.chars().peekable();
        while let Some(character) = rest.next() {
            translation.take(character, &mut rest)?;
        }
        (translation.depth == 0).then_some(())?;
        Self::compile(&translation.text, pattern, ignore_case, translation.has_classes)
    }

    fn compile(translated: &str, pattern: &str, ignore_case: bool, has_classes: bool) -> Option<Self> {
        if ignore_case && !pattern.is_ascii() {
            return None;
        }
        let regex = RegexBuilder::new(translated)
            .dot_matches_new_line(true)
            .case_insensitive(ignore_case)
            .size_limit(MAX_PROGRAM_BYTES)
            .dfa_size_limit(MAX_AUTOMATON_BYTES)
            .build();
        Some(Self { regex: regex.ok()?, is_ascii_only: ignore_case || has_classes })
    }

    /// Whether a value matches; `None` if PostgreSQL has to evaluate it.
    pub(super) fn matches(&self, value: &str) -> Option<bool> {
        let fits = value.len() <= MAX_VALUE_BYTES && (!self.is_ascii_only || value.is_ascii());
        fits.then(|| self.regex.is_match(value))
    }
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// A partly translated expression.
#[derive(Debug, Default)]
struct Translation {
    text: String,
    /// Groups that are open.
    depth: usize,
    /// Whether a quantifier may follow.
    is_quantifiable: bool,
    has_classes: bool,
}

impl Translation {
    fn take(&mut self, character: char, rest: &mut Rest<'_>) -> Option<()> {
        match character {
            '*' | '+' | '?' => {
                self.text.push(character);
                return self.quantified(rest);
            }
            '{' if rest.peek().is_some_and(char::is_ascii_digit) => {
                self.text.push_str(&bound(rest)?);
                return self.quantified(rest);
            }
            '(' => self.open(rest)?,
            ')' => self.depth = self.depth.checked_sub(1)?,
            _ => {}
        }
        match character {
            '(' => {}
            ')' | '.' => self.text.push(character),
            '^' | '$' | '|' => self.text.push(character),
            '[' => self.text.push_str(&bracket(rest)?),
            '\\' => self.escape(rest.next()?)?,
            literal => push_literal(&mut self.text, literal),
        }
        self.is_quantifiable = !matches!(character, '(' | '^' | '$' | '|');
        Some(())
    }

    /// Translates what may follow a quantifier. Whether it is greedy does not change whether there is a match.
    fn quantified(&mut self, rest: &mut Rest<'_>) -> Option<()> {
        rest.next_if_eq(&'?');
        std::mem::take(&mut self.is_quantifiable).then_some(())
    }

    /// Translates the beginning of a group, as a non-capturing one. Lookaround and options are left to PostgreSQL.
    fn open(&mut self, rest: &mut Rest<'_>) -> Option<()> {
        if rest.next_if_eq(&'?').is_some() {
            rest.next_if_eq(&':')?;
        }
        self.text.push_str("(?:");
        self.depth += 1;
        (self.depth <= MAX_GROUP_DEPTH).then_some(())
    }

    fn escape(&mut self, character: char) -> Option<()> {
        let class = match character {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            's' => r"[\t\n\x0B\x0C\r ]",
            'S' => r"[^\t\n\x0B\x0C\r ]",
            // Back references, word boundaries, character names.
            other if other.is_alphanumeric() => return None,
            literal => {
                push_literal(&mut self.text, literal);
                return Some(());
            }
        };
        self.has_classes = true;
        self.text.push_str(class);
        Some(())
    }
}

/// Parses `{m}`, `{m,}` or `{m,n}` after its opening brace.
fn bound(rest: &mut Rest<'_>) -> Option<String> {
    let least = number(rest)?;
    let mut text = format!("{{{least}");
    if rest.next_if_eq(&',').is_some() {
        text.push(',');
        if rest.peek().is_some_and(char::is_ascii_digit) {
            let most = number(rest).filter(|most| *most >= least)?;
            text.push_str(&most.to_string());
        }
    }
    rest.next_if_eq(&'}')?;
    text.push('}');
    Some(text)
}

fn number(rest: &mut Rest<'_>) -> Option<u16> {
    let mut number: u16 = 0;
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        let digit = u16::try_from(digit.to_digit(10)?).ok()?;
        number = number.checked_mul(10)?.checked_add(digit).filter(|number| *number <= MAX_BOUND)?;
    }
    Some(number)
}

/// Parses a bracket expression of single characters and plain ranges, after its opening bracket. POSIX classes, collating elements and
/// escapes are left to PostgreSQL.
fn bracket(rest: &mut Rest<'_>) -> Option<String> {
    let mut text = String::from("[");
    if rest.next_if_eq(&'^').is_some() {
        text.push('^');
    }
    let mut is_first = true;
    loop {
        let character = rest.next()?;
        match character {
            ']' if !is_first => break,
            '[' | '\\' => return None,
            _ if rest.peek() == Some(&'-') => {
                rest.next();
                if rest.next_if_eq(&']').is_some() {
                    push_literal(&mut text, character);
                    push_literal(&mut text, '-');
                    break;
                }
                let end = rest.next()?;
                is_plain_range(character, end).then_some(())?;
                text.extend([character, '-', end]);
            }
            literal => push_literal(&mut text, literal),
        }
        is_first = false;
    }
    text.push(']');
    Some(text)
}

fn is_plain_range(start: char, end: char) -> bool {
    let both = |is: fn(&char) -> bool| is(&start) && is(&end);
    start <= end && (both(char::is_ascii_digit) || both(char::is_ascii_lowercase) || both(char::is_ascii_uppercase))
}

fn push_literal(text: &mut String, character: char) {
    text.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use cloch_sql::testing::TestDatabase;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_the_engines_take_differently_is_left_to_postgresql() {
        for pattern in [
            r"(a)\1",
            r"^(a+)(a+)(a+)(a+)\1\2\3\4$",
            "a(?=b)",
            "(?i)a",
            "***=a",
            "***:a",
            "a**",
            "*a",
            "(*a)",
            "^*",
            "a|*",
            "a{300}",
            "a{2,1}",
            "a{1",
            "[[:alpha:]]",
            r"[\d]",
            "[a-Z]",
            "[é-ü]",
            "[z-a]",
            r"a\y",
            r"\mword",
            r"a\",
            "(a",
            "a)",
            "[a",
            r"\x41",
            "a+{2}",
        ] {
            assert!(Pattern::regex(pattern, false).is_none(), "{pattern}");
        }
        let deep = format!("{}a{}", "(".repeat(21), ")".repeat(21));
        assert!(Pattern::regex(&deep, false).is_none());
        assert!(Pattern::regex("((a{200}){200}){200}", false).is_none(), "too large");
        assert!(Pattern::regex("é", true).is_none(), "the other case of é is the locale's");
        assert!(Pattern::like(r"a\", false).is_none());
    }

    #[test]
    fn values_whose_meaning_depends_on_the_locale_are_left_to_postgresql() {
        assert_eq!(Pattern::regex(r"^\w+$", false).unwrap().matches("é"), None);
        assert_eq!(Pattern::regex("k", true).unwrap().matches("\u{212a}"), None);
        assert_eq!(Pattern::like("k", true).unwrap().matches("\u{212a}"), None);
        assert_eq!(Pattern::regex("é.", false).unwrap().matches("éü"), Some(true));
        assert_eq!(Pattern::regex("a", false).unwrap().matches(&"a".repeat(MAX_VALUE_BYTES + 1)), None);
    }

    /// Asks PostgreSQL the same.
    async fn agree(connection: &mut sqlx::PgConnection, operator: &str, pattern: &str, value: &str) {
        let translated = match operator {
            "like" | "ilike" => Pattern::like(pattern, operator == "ilike"),
            _ => Pattern::regex(pattern, operator == "~*"),
        };
        let Some(ours) = translated.and_then(|translated| translated.matches(value)) else { return };
        let asked = sqlx::query_scalar::<_, bool>(sqlx::AssertSqlSafe(format!("select $1 {operator} $2")));
        let theirs = asked.bind(value).bind(pattern).fetch_one(connection).await;
        assert_eq!(ours, theirs.unwrap(), "{value:?} {operator} {pattern:?}");
    }

    #[tokio::test]
    async fn translated_patterns_mean_what_they_mean_in_postgresql() {
        let test = TestDatabase::platform().await;
        let mut connection = test.database().admin().acquire().await.unwrap();
        let patterns = [
            "",
            "a",
            "^a",
            "a$",
            "^$",
            "a.c",
            "a*",
            "a+?",
            "(ab)+",
            "(?:a|b)c",
            "|a",
            "a||b",
            "()",
            "[abc]",
            "[^abc]",
            "[]a]",
            "[^]a]",
            "[a-]",
            "[-a]",
            "[a-c-]",
            "[0-9]{2,3}",
            "a{0}",
            "a{2}",
            "a{2,}",
            "{a",
            "a{b",
            "}",
            "]",
            r"\d+",
            r"\D",
            r"\w\s\w",
            r"\W\S",
            r"a\.b",
            r"\^",
            r"a\-b",
            "a-b",
            "#",
            "a b",
            "&&",
            "[&&]",
            "[a~~b]",
            "a\nb",
            "^b",
            "a$b",
            "\u{e9}",
            "(a|b)*c",
            "a.*\u{e9}",
        ];
        let values = [
            "", "a", "A", "ab", "abc", "b", "c", "aa", "aaa", "a.b", "axc", "a\nc", "a\nb", "12", "1234", "a b", "{a",
            "a{b", "]", "-", "^", "a-b", "#", "&", "~", "\u{e9}", "xa\u{e9}", "ABC", "a\r\nb", "_", "%", "a_b", "50%",
        ];
        for pattern in patterns {
            for value in values {
                agree(&mut connection, "~", pattern, value).await;
                agree(&mut connection, "~*", pattern, value).await;
            }
        }
        for pattern in ["", "%", "_", "a%", "%b", "a_c", r"50\%", r"a\_b", "%a%b%", "A%", "a.c", "(", r"\\", "%\u{e9}"]
        {
            for value in values {
                agree(&mut connection, "like", pattern, value).await;
                agree(&mut connection, "ilike", pattern, value).await;
            }
        }
    }

    proptest! {
        #[test]
        fn no_pattern_makes_it_panic(pattern in "[ab()\\[\\]{}*+?|^$.,0-9\\\\:-]{0,30}", value in "[ab01 \\n]{0,20}") {
            for ignore_case in [false, true] {
                let _ = Pattern::regex(&pattern, ignore_case).map(|translated| translated.matches(&value));
                let _ = Pattern::like(&pattern, ignore_case).map(|translated| translated.matches(&value));
            }
        }
    }
}
