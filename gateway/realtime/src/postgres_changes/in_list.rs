//! Parses the list of an `in` condition. Supabase converts the list to an array literal of PostgreSQL, so the items have the form of the
//! elements of an array literal.

use std::iter::Peekable;
use std::str::Chars;

/// Returns the items of a list, given without its parentheses. An item is `None` for `NULL` without quotes. Returns `None` if the list is
/// malformed.
pub(super) fn items(list: &str) -> Option<Vec<Option<String>>> {
    let mut characters = list.chars().peekable();
    skip_spaces(&mut characters);
    if characters.peek().is_none() {
        return Some(Vec::new());
    }
    let mut items = Vec::new();
    loop {
        skip_spaces(&mut characters);
        items.push(match characters.next_if_eq(&'"') {
            Some(_) => Some(quoted(&mut characters)?),
            None => unquoted(&mut characters)?,
        });
        skip_spaces(&mut characters);
        match characters.next() {
            None => return Some(items),
            Some(',') => {}
            Some(_) => return None,
        }
    }
}

/// Whether PostgreSQL ignores the character around an element of an array literal.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

fn skip_spaces(characters: &mut Peekable<Chars<'_>>) {
    while characters.next_if(|character| is_space(*character)).is_some() {}
}

/// Parses an item after its opening quotation mark.
fn quoted(characters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match characters.next()? {
            '"' => return Some(text),
            '\\' => text.push(characters.next()?),
            other => text.push(other),
        }
    }
}

/// Parses an item without quotation marks. `Some(None)` is SQL NULL, `None` a malformed item.
fn unquoted(characters: &mut Peekable<Chars<'_>>) -> Option<Option<String>> {
    let (mut text, mut length, mut is_escaped) = (String::new(), 0, false);
    while let Some(character) = characters.next_if(|character| *character != ',') {
        match character {
            '"' | '{' | '}' => return None,
            '\\' => {
                text.push(characters.next()?);
                is_escaped = true;
            }
            other => text.push(other),
        }
        // Spaces at the end do not belong to the item, unless they are escaped.
        if !is_space(character) {
            length = text.len();
        }
    }
    text.truncate(length);
    match text.as_str() {
        "" => None,
        word if !is_escaped && word.eq_ignore_ascii_case("null") => Some(None),
        _ => Some(Some(text)),
    }
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::items;

    #[tokio::test]
    async fn lists_mean_what_array_literals_mean_in_postgresql() {
        let test = TestDatabase::platform().await;
        let mut connection = test.database().admin().acquire().await.unwrap();
        let plain = r#"| |a|a,b|a, b| a , b |a b , c|"a", "b"|"a" , b|""|" a "|a,|,a|a,,b|a, ,b|NULL|null,a|nUlL , x|"NULL"|\NULL|N\ULL|NULLS
            |a\ |a\|\,|a\,b|\"|"a\"b"|"a\\"|\\|"a|a"|a"b"|"a"b|"a" b|{|}|a{b|a}b|\{|"{}"|a(b)|1, 2|+1 , -2|"a,b",c"#;
        let further = ["a\t,\nb\r", "\u{b}a\u{c}", "\u{a0}a\u{a0}", "sch\u{f6}n, \u{1f600}"];
        let mut malformed = 0;
        for list in plain.split('|').chain(further) {
            let asked = sqlx::query_scalar::<_, Vec<Option<String>>>("select ('{' || $1 || '}')::text[]");
            let theirs = asked.bind(list).fetch_one(&mut *connection).await;
            if theirs.is_err() {
                malformed += 1;
            }
            assert_eq!(items(list), theirs.ok(), "{list:?}");
        }
        assert!(malformed > 10, "{malformed}");
    }
}
