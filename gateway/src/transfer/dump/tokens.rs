//! Splits statements that pg_dump has written into tokens. A quoted name is a token without its quotes. Other words are converted to lower
//! case.

/// Maximum number of tokens of a statement that are read. The rules need only the beginning of a statement.
const MAX_TOKENS: usize = 64;

/// Returns the tokens at the beginning of a statement, at most [`MAX_TOKENS`].
pub(super) fn tokens(statement: &str) -> Vec<String> {
    read(statement, MAX_TOKENS)
}

/// Returns all tokens of a text. Needed for lists of columns, which may be long.
pub(super) fn tokens_of_all(text: &str) -> Vec<String> {
    read(text, usize::MAX)
}

fn read(statement: &str, limit: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = statement.chars().peekable();
    while let Some(&next) = rest.peek() {
        if found.len() == limit {
            break;
        }
        if next.is_whitespace() {
            rest.next();
        } else if next == '"' || next == '\'' {
            rest.next();
            found.push(quoted(&mut rest, next));
        } else if is_word(next) {
            let mut word = String::new();
            while let Some(part) = rest.next_if(|c| is_word(*c)) {
                word.push(part.to_ascii_lowercase());
            }
            found.push(word);
        } else {
            rest.next();
            found.push(next.to_string());
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn quoted(rest: &mut std::iter::Peekable<impl Iterator<Item = char>>, quote: char) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        if c == quote && rest.next_if_eq(&quote).is_none() {
            break;
        }
        text.push(c);
    }
    text
}

/// Whether the tokens begin with `words`, such as `["create", "schema"]`.
pub(super) fn begins(tokens: &[String], words: &[&str]) -> bool {
    tokens.len() >= words.len() && tokens.iter().zip(words).all(|(token, word)| token == word)
}

/// Returns the token after the first occurrence of `word`; `None` if there is none.
pub(super) fn after<'a>(tokens: &'a [String], word: &str) -> Option<&'a str> {
    let at = tokens.iter().position(|token| token == word)?;
    tokens.get(at + 1).map(String::as_str)
}

/// Returns the schema and the name of the qualified name that begins at the index `at`. The schema is `None` if the name is not qualified.
pub(super) fn qualified(tokens: &[String], at: usize) -> Option<(Option<&str>, &str)> {
    let first = tokens.get(at)?;
    match (tokens.get(at + 1).map(String::as_str), tokens.get(at + 2)) {
        (Some("."), Some(second)) => Some((Some(first), second)),
        _ => Some((None, first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_words() {
        let found = tokens("CREATE POLICY \"a \"\"b\"\" c\" ON \"storage\".\"objects\" USING ('it''s')");
        assert_eq!(
            found,
            ["create", "policy", "a \"b\" c", "on", "storage", ".", "objects", "using", "(", "it's", ")"]
        );
        assert_eq!(qualified(&found, 4), Some((Some("storage"), "objects")));
        assert_eq!(after(&found, "on"), Some("storage"));
        assert!(begins(&found, &["create", "policy"]) && !begins(&found, &["create", "table"]));
        assert!(tokens("").is_empty() && tokens("\"open").len() == 1);
    }
}
