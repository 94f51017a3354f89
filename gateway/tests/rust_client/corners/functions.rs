//! Calls of functions: defaults, variadic and named arguments, sets, composite types, void, overloads and refusals.

use crate::callers::Caller;
use crate::suite::Suite;

pub(super) async fn run(suite: &mut Suite, anon: &Caller, user: &Caller) {
    values(suite, anon, user).await;
    sets(suite, anon).await;
    writes(suite, user).await;
    refusals(suite, anon, user).await;
}

async fn values(suite: &mut Suite, anon: &Caller, user: &Caller) {
    let cases = [
        ("add", r#"{"a": 1, "b": 2}"#, "corners.add(1, 2)"),
        ("add", r#"{"a": -5}"#, "corners.add(-5)"),
        ("add", r#"{"b": 1, "a": 2147483646}"#, "corners.add(b => 1, a => 2147483646)"),
        ("joined", r#"{"parts": ["a", "b c", "d,e"]}"#, "corners.joined('a', 'b c', 'd,e')"),
        ("summed", r#"{"numbers": [1, 2, 39]}"#, "corners.summed('{1,2,39}')"),
        ("summed", r#"{"numbers": "{1,2}"}"#, "corners.summed('{1,2}')"),
        ("both", r#"{"a": 5}"#, "corners.both(5)"),
        ("whole", r#"{"a": [1, {"b": null}]}"#, r#"corners.whole('{"a": [1, {"b": null}]}')"#),
        ("mood_of", r#"{"mood": "so \"so\""}"#, r#"corners.mood_of('so "so"')"#),
        (
            "spot",
            r#"{"spot": {"x": 1, "label": "a, \"b\""}}"#,
            r#"corners.spot(row(1, null, 'a, "b"')::corners.point3)"#,
        ),
        ("nothing", "{}", "corners.nothing()"),
        ("over", r#"{"a": 1}"#, "corners.over(1)"),
        ("over", r#"{"a": 1, "b": 2}"#, "corners.over(1, 2)"),
        ("odd function", r#"{"an argument": "ü ☂"}"#, r#"corners."odd function"('ü ☂')"#),
        ("thing", r#"{"id": 1}"#, "corners.thing(1)"),
    ];
    for (name, arguments, expression) in cases {
        suite.call(anon, anon.rpc(name, arguments), expression).await;
    }
    for caller in [anon, user] {
        suite.call(caller, caller.rpc("caller", "{}"), "corners.caller()").await;
    }
}

async fn sets(suite: &mut Suite, anon: &Caller) {
    suite.call(anon, anon.rpc("up_to", r#"{"n": 3}"#), "(select json_agg(n) from corners.up_to(3) n)").await;
    suite.read_nothing(anon, anon.rpc("pairs", r#"{"n": 0}"#), "select * from corners.pairs(0)").await;
    for (request, sql) in [
        (anon.rpc("pairs", "{}"), "select * from corners.pairs()"),
        (anon.rpc("pairs", r#"{"n": 4}"#).select("name").gt("number", "2"), "select name from corners.pairs(4) where number > 2"),
        (anon.rpc("things_of", r#"{"shelf": 1}"#), "select * from corners.things_of(1)"),
        (
            anon.rpc("things_of", r#"{"shelf": 2}"#).select("id,title,shelf:shelves!shelf_id(name)").order("id.desc"),
            "select id, corners.title(t) as title, (select json_build_object('name', s.name) from corners.shelves s where s.id = t.shelf_id) as shelf
               from corners.things t where shelf_id = 2 order by id desc",
        ),
        (
            anon.rpc("things_of", r#"{"shelf": 1}"#).select("id").or("name.eq.pier,big.lt.0").order("id"),
            "select id from corners.things_of(1) where name = 'pier' or big < 0 order by id",
        ),
    ] {
        suite.read(anon, request, sql).await;
    }
    suite
        .read_one(
            anon,
            anon.rpc("things_of", r#"{"shelf": 2}"#).eq("name", "%_*"),
            "select * from corners.things_of(2) where name = '%_*'",
        )
        .await;
}

async fn writes(suite: &mut Suite, user: &Caller) {
    let state = "select * from corners.calls order by id";
    // A function without a result has no body.
    suite.write(user, user.rpc("note", r#"{"id": 1}"#), 204, "select corners.note(1)", state).await;
    let given = user.rpc("note", r#"{"id": 2, "note": "it's \"so\""}"#);
    suite.write(user, given, 204, r#"select corners.note(2, 'it''s "so"')"#, state).await;
    suite.write_refused(user, user.rpc("note", r#"{"id": 2}"#), "select corners.note(2)", state).await;
}

async fn refusals(suite: &mut Suite, anon: &Caller, user: &Caller) {
    let cases = [
        (anon.rpc("sealed_function", "{}"), "corners.sealed_function()"),
        (anon.rpc("add", r#"{"a": 2147483647, "b": 1}"#), "corners.add(2147483647, 1)"),
        (anon.rpc("add", r#"{"a": "one"}"#), "corners.add('one'::text::int)"),
        (anon.rpc("mood_of", r#"{"mood": "sad"}"#), "corners.mood_of('sad'::text::corners.mood)"),
        (anon.rpc("note", r#"{"id": 3}"#), "(select corners.note(3)::text)"),
        (anon.rpc("fail", r#"{"code": "P0001"}"#), "(select corners.fail('P0001')::text)"),
        (anon.rpc("fail", r#"{"code": "23505"}"#), "(select corners.fail('23505')::text)"),
        (anon.rpc("fail", r#"{"code": "22012"}"#), "(select corners.fail('22012')::text)"),
    ];
    for (request, expression) in cases {
        suite.call_refused(anon, request, expression).await;
    }
    suite.call_refused(user, user.rpc("sealed_function", "{}"), "corners.sealed_function()").await;
    suite.documented(anon.rpc("add", "{}"), 404, "PGRST202").await;
    suite.documented(anon.rpc("add", r#"{"a": 1, "c": 2}"#), 404, "PGRST202").await;
    suite.documented(anon.rpc("no_such_function", "{}"), 404, "PGRST202").await;
    suite.documented(anon.rpc("add", r#"{"a": 1"#), 400, "PGRST102").await;
}
