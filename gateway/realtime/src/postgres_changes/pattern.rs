//! Evaluates patterns of filters (`like`, `ilike`, `match`, `imatch`) with a regex engine whose time is linear in the length of the value.
//!
//! PostgreSQL's engine takes exponential time for some expressions, such as expressions with back references. A PostgreSQL expression is
//! translated for the linear engine only if both engines give it the same meaning. PostgreSQL evaluates all other expressions, with the
//! timeout [`super::row::FILTER_TIMEOUT`].

use regex::{Regex, RegexBuilder};

/// Maximum length of a value that is matched without PostgreSQL, in bytes. Together with [`MAX_PROGRAM_BYTES`], this length limits the time
/// of a match to some milliseconds.
const MAX_VALUE_BYTES: usize = 16 * 1024;
const MAX_PROGRAM_BYTES: usize = 32 * 1024;
/// Maximum size in bytes of the regex engine's cache for the automaton of a pattern.
const MAX_AUTOMATON_BYTES: usize = 64 * 1024;
const MAX_GROUP_DEPTH: usize = 20;
/// PostgreSQL's largest repetition bound (`DUPMAX`).
const MAX_BOUND: u16 = 255;

#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// Whether PostgreSQL has to match values with non-ASCII characters, because their character classes and letter case depend on the locale
    /// of the database.
    is_ascii_only: bool,
}

impl Pattern {
    /// Translates a LIKE pattern to an expression of the linear regex engine. `None` if PostgreSQL has to evaluate the pattern.
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

    /// Translates a PostgreSQL advanced regular expression to an expression of the linear regex engine. `None` if PostgreSQL has to
    /// evaluate the expression.
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

    /// Whether a value matches the pattern. `None` if PostgreSQL has to evaluate the pattern for this value.
    pub(super) fn matches(&self, value: &str) -> Option<bool> {
        let fits = value.len() <= MAX_VALUE_BYTES && (!self.is_ascii_only || value.is_ascii());
        fits.then(|| self.regex.is_match(value))
    }
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

#[derive(Debug, Default)]
struct Translation {
    text: String,
    /// Number of groups (parentheses) that are open at this point of the expression.
    depth: usize,
    /// Whether a quantifier may follow at this point of the expression.
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

    /// Skips the `?` that makes a quantifier non-greedy, since greediness does not change whether an expression matches. `None` if no
    /// quantifier is allowed at this point, for example after another quantifier.
    fn quantified(&mut self, rest: &mut Rest<'_>) -> Option<()> {
        rest.next_if_eq(&'?');
        std::mem::take(&mut self.is_quantifiable).then_some(())
    }

    /// Translates the beginning of a group to a non-capturing group. Returns `None` for lookaround and embedded options, which PostgreSQL
    /// evaluates.
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
            // Expressions with back references, word boundaries or character names are not translated: PostgreSQL evaluates
            // them.
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

/// Parses the bound `{m}`, `{m,}` or `{m,n}` of a repetition, after its opening brace. `None` if the bound is invalid.
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

/// Parses a bracket expression of single characters and plain ranges, after its opening bracket. Returns `None` for POSIX classes,
/// collating elements and escapes in brackets, which PostgreSQL evaluates.
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
mod tests;
