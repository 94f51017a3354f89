//! Tests that patterns match the same values in PostgreSQL and in the translation to the crate regex.
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

/// If the pattern can be translated, asserts that PostgreSQL and the translated pattern return the same result.
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
    for pattern in ["", "%", "_", "a%", "%b", "a_c", r"50\%", r"a\_b", "%a%b%", "A%", "a.c", "(", r"\\", "%\u{e9}"] {
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
