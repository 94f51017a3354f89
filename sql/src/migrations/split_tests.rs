use super::{statements, statements_with};
use crate::migrations::split::Backslashes;

fn split(text: &str) -> Vec<&str> {
    statements(text).unwrap().into_iter().filter_map(|range| text.get(range)).collect()
}

fn refusal(text: &str) -> String {
    statements(text).unwrap_err().to_string()
}

#[test]
fn plain_statements_and_a_missing_last_semicolon() {
    assert_eq!(split("select 1; select 2 ;\n\n;select 3"), ["select 1", "select 2", "select 3"]);
    assert_eq!(split(" ; -- nothing\n/* ; */"), Vec::<&str>::new());
}

#[test]
fn quotes_and_comments_hide_semicolons() {
    assert_eq!(
        split("select ';', \"a;b\", 'it''s;' -- ;\n; /* ; /* ; */ */ select 2"),
        ["select ';', \"a;b\", 'it''s;'", "select 2"]
    );
    assert_eq!(split("select 1 -- a\r; select 2"), ["select 1", "select 2"]);
    assert_eq!(split("select 2 *-- ;\n 3; select 4"), ["select 2 *-- ;\n 3", "select 4"]);
}

#[test]
fn strings_of_every_kind() {
    assert_eq!(split(r"select E'a\';b'; select 2"), [r"select E'a\';b'", "select 2"]);
    assert_eq!(split(r"select 'a\'; select 2"), [r"select 'a\'", "select 2"]);
    let kinds = r#"select b'1', x'f', n'\', u&'\', u&"a;""#;
    assert_eq!(split(&format!("{kinds}; select 2")), [kinds, "select 2"]);
}

#[test]
fn a_string_with_escapes_goes_on_behind_a_line_break() {
    assert_eq!(split("select E'a' -- b\n  'c\\';d'; select 2"), ["select E'a' -- b\n  'c\\';d'", "select 2"]);
    assert_eq!(split("select E'a' 'c\\'; select 2"), ["select E'a' 'c\\'", "select 2"]);
}

#[test]
fn dollar_quotes_hide_everything() {
    let text = "do $x$ begin perform 1; end $x$; select $1; select $$;$$";
    assert_eq!(split(text), ["do $x$ begin perform 1; end $x$", "select $1", "select $$;$$"]);
    assert_eq!(
        split("select $ä$;$ä$; select a$b$; select 1$a$;$a$"),
        ["select $ä$;$ä$", "select a$b$", "select 1$a$;$a$"]
    );
}

#[test]
fn a_standard_function_body_is_one_statement() {
    let head = "create function f() returns int ";
    for body in [
        "begin atomic select case when true then 1 end; select 2; end",
        "begin /* */ atomic end",
        "begin atomic select 1 as end; select 2 end; select t.end from t; end",
        "begin atomic select case when a then 1 else case b when 2 then 3 end end; end",
    ] {
        assert_eq!(split(&format!("{head}{body}; select 3")), [&format!("{head}{body}"), "select 3"]);
    }
    assert_eq!(split("begin; select 1; end; commit").len(), 4);
    assert_eq!(split("create function begin() returns int return 1; select atomic from begin; select 2").len(), 3);
}

#[test]
fn parentheses_hide_semicolons() {
    let rule = "create rule r as on insert to t do also (insert into a values (1); delete from b)";
    assert_eq!(split(&format!("{rule}; select 1")), [rule, "select 1"]);
}

#[test]
fn what_is_never_closed_is_refused_where_it_opens() {
    for (text, place) in [
        ("select 1;\n  /* a /* b */ select 2;", "line 2, column 3: a comment"),
        ("select 1;\nselect 'ä', 'a; b", "line 2, column 13: a string"),
        ("select \"a; b", "line 1, column 8: a name"),
        ("select $a$ b; c", "line 1, column 8: a string is opened here with a dollar quote"),
        ("select (1; select 2", "line 1, column 8: a parenthesis"),
        ("create function f() returns int begin atomic select 1; select 2", "line 1, column 39: a body"),
        (r"select E'a\'; select 2", "line 1, column 8: a string"),
        ("select 1;\0", "line 1, column 10: the file has a null byte"),
    ] {
        assert!(refusal(text).starts_with(place), "{text}: {}", refusal(text));
    }
}

#[test]
fn what_only_psql_reads_is_refused() {
    assert!(refusal("select 1;\n\\i other.sql\n").starts_with("line 2, column 1: a backslash"));
    assert!(refusal("select 1 \\gset\n").starts_with("line 1, column 10: a backslash"));
    assert!(refusal("select 1;\ncopy public.t (a) from stdin;\n1\n\\.\n").starts_with("line 2, column 1: COPY"));
    assert_eq!(split("\\restrict abc\r\nselect 1;\n\\unrestrict abc\n"), ["select 1"]);
    assert_eq!(split("copy (select stdin from stdin) to stdout; select 2").len(), 2);
}

#[test]
fn standard_conforming_strings_is_followed() {
    let off = "set standard_conforming_strings = off;\nselect 'a\\';b'; reset all; select 'a\\'; select 3";
    assert_eq!(split(off).len(), 5);
    assert_eq!(split("set standard_conforming_strings to on; select 'a\\'; select 2").len(), 3);
    let hidden = "select set_config('standard_conforming_strings', 'off', false); select 'a\\'";
    assert!(refusal(hidden).contains("column 72"), "{}", refusal(hidden));
    assert_eq!(split("select set_config('standard_conforming_strings', 'off', false); select 'a'; select 2").len(), 3);
    assert_eq!(statements_with(r"select 'a\';b'; select 2", Backslashes::Escape).unwrap().len(), 2);
}
