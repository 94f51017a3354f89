//! Tests each filter method of the crate, and logical trees, with columns of all types.

use postgrest::Builder;

use crate::callers::Caller;
use crate::suite::Suite;

pub(super) async fn run(suite: &mut Suite, anon: &Caller) {
    let things = || anon.table("things").select("id").order("id");
    let cases = texts(things)
        .into_iter()
        .chain(values(things))
        .chain(containers(things))
        .chain(words(things))
        .chain(trees(things));
    for (request, condition) in cases {
        suite.read(anon, request, &format!("select id from corners.things where {condition} order by id")).await;
    }
    let none = things().eq("name", "nobody").or("id.eq.1,id.eq.2");
    suite.read_nothing(anon, none, "select id from corners.things where name = 'nobody' and (id = 1 or id = 2)").await;
}

/// Texts with all characters that the syntax of filters uses.
fn texts(things: impl Fn() -> Builder) -> Vec<(Builder, &'static str)> {
    vec![
        (things().eq("name", "pier"), "name = 'pier'"),
        (things().eq("name", r#"a,b"(c).d"#), r#"name = 'a,b"(c).d'"#),
        (things().eq("name", r"back\slash"), r"name = 'back\slash'"),
        (things().eq("name", "%_*"), "name = '%_*'"),
        (things().eq("name", "ünïcode ☂ New  York"), "name = 'ünïcode ☂ New  York'"),
        (things().eq("name", ""), "name = ''"),
        (things().eq("name", "null"), "name = 'null'"),
        (things().neq("name", "pier"), "name <> 'pier'"),
        (things().not("eq", "name", "pier"), "not (name = 'pier')"),
        (things().gt("name", "b"), "name > 'b'"),
        (things().like("name", "p%"), "name like 'p%'"),
        (things().like("name", "%ï%"), "name like '%ï%'"),
        (things().like("name", r"\%\_%"), r"name like '\%\_%'"),
        (things().like("name", r"back\\%"), r"name like 'back\\%'"),
        (things().ilike("name", "P_ER"), "name ilike 'P_ER'"),
        (things().not("like", "name", "*e*"), "name not like '%e%'"),
        (
            things().in_("name", ["pier", r#""a,b\"(c).d""#, r#""back\\slash""#, r#""""#]),
            r#"name in ('pier', 'a,b"(c).d', 'back\slash', '')"#,
        ),
        (things().not("in", "name", r#"(pier,"null")"#), "name not in ('pier', 'null')"),
        (things().is("name", "null"), "name is null"),
        (things().not("is", "name", "null"), "name is not null"),
    ]
}

fn values(things: impl Fn() -> Builder) -> Vec<(Builder, &'static str)> {
    vec![
        (things().gt("amount", "1.5"), "amount > 1.5"),
        (things().gte("amount", "1.5").lt("amount", "100"), "amount >= 1.5 and amount < 100"),
        (things().eq("amount", "2"), "amount = 2"),
        (things().eq("big", "9007199254740993"), "big = 9007199254740993"),
        (things().lte("big", "0"), "big <= 0"),
        (things().eq("ratio", "NaN"), "ratio = 'NaN'"),
        (things().lt("ratio", "-1e10"), "ratio < -1e10"),
        (things().is("done", "true"), "done is true"),
        (things().is("done", "false"), "done is false"),
        (things().is("done", "unknown"), "done is unknown"),
        (things().not("is", "done", "true"), "done is not true"),
        (things().eq("mood", r#"so "so""#), r#"mood = 'so "so"'"#),
        (things().in_("mood", ["glad", r#""sad, very""#]), "mood in ('glad', 'sad, very')"),
        (things().gt("mood", "glad"), "mood > 'glad'"),
        (things().eq("twin", "-4"), "twin = -4"),
        (things().lt("at", "2026-03-29T03:00:00+01:00"), "at < '2026-03-29T03:00:00+01:00'"),
        (things().eq("at", "infinity"), "at = 'infinity'"),
        (things().gte("day", "2000-01-01"), "day >= '2000-01-01'"),
        (things().gt("pause", "1 day"), "pause > '1 day'"),
        (
            things().eq("ident", "6A7F9A7E-51A5-4B9B-9D7B-0D1F3F3F7A10"),
            "ident = '6A7F9A7E-51A5-4B9B-9D7B-0D1F3F3F7A10'",
        ),
        (things().eq("bytes", r"\xdeadbeef"), r"bytes = '\xdeadbeef'"),
        (things().eq("address", "::1"), "address = '::1'"),
    ]
}

fn containers(things: impl Fn() -> Builder) -> Vec<(Builder, &'static str)> {
    vec![
        (things().eq("tags", "{}"), "tags = '{}'"),
        (things().eq("tags", r#"{"a b","c,d",NULL}"#), r#"tags = '{"a b","c,d",NULL}'"#),
        (things().cs("tags", "{red}"), "tags @> '{red}'"),
        (things().cs("tags", r#"{"c,d"}"#), r#"tags @> '{"c,d"}'"#),
        (things().cd("tags", "{red,blue,green}"), "tags <@ '{red,blue,green}'"),
        (things().ov("tags", "{blue,none}"), "tags && '{blue,none}'"),
        (things().cs("moods", r#"{"so \"so\""}"#), r#"moods @> '{"so \"so\""}'"#),
        (things().eq("grid", "{{1,2},{3,4}}"), "grid = '{{1,2},{3,4}}'"),
        (things().cs("doc", r#"{"town":"Largs"}"#), r#"doc @> '{"town":"Largs"}'"#),
        (things().cd("doc", r#"{"town":null,"more":1}"#), r#"doc <@ '{"town":null,"more":1}'"#),
        (things().eq("doc->>town", "Gourock"), "doc->>'town' = 'Gourock'"),
        (things().gt("doc->n", "3"), "doc->'n' > '3'"),
        (things().eq("doc->list->>0", "x"), "doc->'list'->>0 = 'x'"),
        (things().is("doc->>town", "null"), "doc->>'town' is null"),
        (things().eq("raw->>b", "1"), "raw->>'b' = '1'"),
        (things().eq("spot->>label", "a, b"), "to_jsonb(spot)->>'label' = 'a, b'"),
        (things().eq("span", "[1,4]"), "span = '[1,4]'"),
        (things().eq("span", "empty"), "span = 'empty'"),
        (things().cs("span", "[2,3]"), "span @> '[2,3]'"),
        (things().cd("span", "[0,11]"), "span <@ '[0,11]'"),
        (things().ov("span", "[4,6)"), "span && '[4,6)'"),
        (things().sl("span", (9, 20)), "span << '(9,20)'"),
        (things().sr("span", (0, 9)), "span >> '(0,9)'"),
        (things().nxl("span", (4, 30)), "span &> '(4,30)'"),
        (things().nxr("span", (0, 9)), "span &< '(0,9)'"),
        (things().adj("span", (8, 10)), "span -|- '(8,10)'"),
        (things().cs("days", "[2026-01-05,2026-01-06]"), "days @> '[2026-01-05,2026-01-06]'::daterange"),
        (things().cs("spans", "{[1,2)}"), "spans @> '{[1,2)}'::int4multirange"),
    ]
}

fn words(things: impl Fn() -> Builder) -> Vec<(Builder, &'static str)> {
    let simple = Some("simple");
    vec![
        (things().fts("words", "pier", None), "words @@ to_tsquery('pier')"),
        (things().fts("words", "new & york", simple), "words @@ to_tsquery('simple', 'new & york')"),
        (things().fts("words", "!pier & null", simple), "words @@ to_tsquery('simple', '!pier & null')"),
        (things().plfts("words", "york new", simple), "words @@ plainto_tsquery('simple', 'york new')"),
        (things().phfts("words", "new york", simple), "words @@ phraseto_tsquery('simple', 'new york')"),
        (
            things().wfts("words", "york -pier or null", simple),
            "words @@ websearch_to_tsquery('simple', 'york -pier or null')",
        ),
        (things().not("fts(simple)", "words", "pier"), "not (words @@ to_tsquery('simple', 'pier'))"),
    ]
}

fn trees(things: impl Fn() -> Builder) -> Vec<(Builder, &'static str)> {
    vec![
        (things().or("id.eq.1,id.eq.3"), "id = 1 or id = 3"),
        (things().or("id.eq.1,and(id.gt.2,done.is.true)"), "id = 1 or (id > 2 and done is true)"),
        (
            things().and("id.gte.2,or(name.eq.pier,name.is.null,big.gt.1)"),
            "id >= 2 and (name = 'pier' or name is null or big > 1)",
        ),
        (things().or("not.and(id.gt.1,id.lt.6),mood.in.(glad)"), "not (id > 1 and id < 6) or mood in ('glad')"),
        (things().and("not.or(id.lt.3,id.gt.6)"), "not (id < 3 or id > 6)"),
        (things().or("id.eq.1,id.eq.2").or("id.eq.2,id.eq.3"), "(id = 1 or id = 2) and (id = 2 or id = 3)"),
        (things().or(r#"name.eq."a,b\"(c).d",tags.cs.{red}"#), r#"name = 'a,b"(c).d' or tags @> '{red}'"#),
        (things().or(r#"tags.ov.{blue,none},span.cs."[21,22)""#), "tags && '{blue,none}' or span @> '[21,22)'"),
        (
            things().or(r#"name.in.("a,b\"(c).d",pier),doc->>town.eq.Gourock"#),
            r#"name in ('a,b"(c).d', 'pier') or doc->>'town' = 'Gourock'"#,
        ),
        (things().or("name.not.like.*e*,name.like.p*"), "name not like '%e%' or name like 'p%'"),
        (things().or("done.not.is.null,id.eq.8").gt("id", "4"), "(done is not null or id = 8) and id > 4"),
        (
            things().or("words.fts(simple).pier,words.plfts(simple).york"),
            "words @@ to_tsquery('simple', 'pier') or words @@ plainto_tsquery('simple', 'york')",
        ),
    ]
}
