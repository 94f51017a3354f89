//! Inserts, upserts, updates and deletions: the rows of the response, and the state of the database.

use crate::callers::Caller;
use crate::suite::Suite;

const THINGS: &str = "select id, name, amount, tags, mood, spot, doc, span, words, doubled, shelf_id from corners.things where id >= 100 order by id";

pub(super) async fn run(suite: &mut Suite, user: &Caller, service: &Caller) {
    inserts(suite, user).await;
    upserts(suite, user).await;
    changes(suite, user).await;
    refusals(suite, user).await;
    own_rows(suite, user, service).await;
}

async fn inserts(suite: &mut Suite, user: &Caller) {
    let things = |body: &str| user.table("things").insert(body);
    let returned = "id,name,amount,doubled,mood,words";
    suite
        .write(
            user,
            things(r#"{"id": 100, "name": "new \"quoted\", ☂", "amount": "12.34567"}"#).select(returned),
            201,
            r#"insert into corners.things (id, name, amount) values (100, 'new "quoted", ☂', 12.34567) returning id, name, amount, doubled, mood, words"#,
            THINGS,
        )
        .await;
    suite
        .write(
            user,
            things(
                r#"[{"id": 101, "tags": ["a", "b,c", null], "spot": {"x": 1, "label": "l"}, "doc": {"k": [1, null]}, "span": "[1,4]"},
                    {"id": 102, "tags": [], "spot": null, "doc": null, "span": "empty"}]"#,
            )
            .select("id,tags,spot,doc,span,mood"),
            201,
            r#"insert into corners.things (id, tags, spot, doc, span, mood)
               values (101, array['a', 'b,c', null], row(1, null, 'l')::corners.point3, '{"k": [1, null]}', '[1,4]', 'glad'),
                      (102, '{}', null, null, 'empty', 'glad') returning id, tags, spot, doc, span, mood"#,
            THINGS,
        )
        .await;
    suite
        .write(
            user,
            things(r#"[{"id": 103, "name": "both", "mood": "sad, very"}, {"id": 104, "name": null, "mood": null}]"#).select("id,name,mood"),
            201,
            "insert into corners.things (id, name, mood) values (103, 'both', 'sad, very'), (104, null, null) returning id, name, mood",
            THINGS,
        )
        .await;
    suite
        .write(
            user,
            things(r#"{"id": 105, "shelf_id": 2}"#).select("id,shelf:shelves!shelf_id(name)"),
            201,
            "insert into corners.things (id, shelf_id) values (105, 2) returning id, json_build_object('name', 'Pine') as shelf",
            THINGS,
        )
        .await;
    let odd = user
        .table(super::ODD)
        .insert(r#"{"the id": 100, "with.dot": "d", "co,mma": "c", "quo\"te": 5, "naïve ☂": "n", "(paren)": 6}"#);
    suite
        .write(
            user,
            odd,
            201,
            r#"insert into corners."Odd ""Name"", 1.0" ("the id", "with.dot", "co,mma", "quo""te", "naïve ☂", "(paren)")
               values (100, 'd', 'c', 5, 'n', 6) returning *"#,
            r#"select * from corners."Odd ""Name"", 1.0" where "the id" >= 100"#,
        )
        .await;
}

async fn upserts(suite: &mut Suite, user: &Caller) {
    let state = "select * from corners.shelves where id >= 100 order by id";
    let upsert = |body: &str| user.table("shelves").upsert(body);
    suite
        .write(
            user,
            upsert(r#"{"id": 100, "name": "Elm"}"#),
            201,
            "insert into corners.shelves (id, name) values (100, 'Elm') on conflict (id) do update set name = excluded.name returning *",
            state,
        )
        .await;
    suite
        .write(
            user,
            upsert(r#"{"id": 100, "name": "Elm, old"}"#),
            200,
            "insert into corners.shelves (id, name) values (100, 'Elm, old') on conflict (id) do update set name = excluded.name returning *",
            state,
        )
        .await;
    suite
        .write(
            user,
            upsert(
                r#"[{"id": 101, "name": "Elm, old", "room": "attic"}, {"id": 102, "name": "Yew", "room": "attic"}]"#,
            )
            .on_conflict("name"),
            201,
            "insert into corners.shelves (id, name, room) values (101, 'Elm, old', 'attic'), (102, 'Yew', 'attic')
             on conflict (name) do update set id = excluded.id, room = excluded.room returning *",
            state,
        )
        .await;
}

async fn changes(suite: &mut Suite, user: &Caller) {
    let things = || user.table("things").gte("id", "100");
    suite
        .write(
            user,
            things().update(r#"{"amount": 7, "tags": ["z"], "mood": null}"#).or("name.is.null,id.eq.100").lt("id", "103").select("id,amount,doubled"),
            200,
            "update corners.things set amount = 7, tags = '{z}', mood = null where id >= 100 and (name is null or id = 100) and id < 103
             returning id, amount, doubled",
            THINGS,
        )
        .await;
    suite
        .write(
            user,
            things().update(r#"{"name": "one"}"#).eq("id", "104").select("*"),
            200,
            "update corners.things set name = 'one' where id = 104 returning *",
            THINGS,
        )
        .await;
    suite
        .write(
            user,
            things().delete().in_("id", ["101", "102"]).select("id,tags"),
            200,
            "delete from corners.things where id in (101, 102) returning id, tags",
            THINGS,
        )
        .await;
    suite
        .read_nothing(
            user,
            things().delete().eq("name", "nobody").select("id"),
            "select id from corners.things where name = 'nobody'",
        )
        .await;
    suite
        .read_nothing(
            user,
            things().update(r#"{"name": "x"}"#).eq("id", "999").select("id"),
            "select id from corners.things where id = 999",
        )
        .await;
}

async fn refusals(suite: &mut Suite, user: &Caller) {
    let things = |body: &str| user.table("things").insert(body);
    let cases = [
        (things(r#"{"id": 1}"#), "insert into corners.things (id) values (1)"),
        (things(r#"{"name": "no id"}"#), "insert into corners.things (name) values ('no id')"),
        (things(r#"{"id": 200, "shelf_id": 77}"#), "insert into corners.things (id, shelf_id) values (200, 77)"),
        (things(r#"{"id": 200, "amount": -1000}"#), "insert into corners.things (id, amount) values (200, -1000)"),
        (
            things(r#"{"id": 200, "amount": 123456789}"#),
            "insert into corners.things (id, amount) values (200, 123456789)",
        ),
        (things(r#"{"id": 200, "twin": 3}"#), "insert into corners.things (id, twin) values (200, 3)"),
        (things(r#"{"id": 200, "doubled": 3}"#), "insert into corners.things (id, doubled) values (200, 3)"),
        (things(r#"{"id": 200, "mood": "sad"}"#), "insert into corners.things (id, mood) values (200, 'sad')"),
        (
            things(r#"{"id": 200, "ident": "no uuid"}"#),
            "insert into corners.things (id, ident) values (200, 'no uuid')",
        ),
        (things(r#"{"id": 200, "span": "[5,1)"}"#), "insert into corners.things (id, span) values (200, '[5,1)')"),
        (things(r#"[{"id": 200}, {"id": 200}]"#), "insert into corners.things (id) values (200), (200)"),
        (
            user.table("shelves").update(r#"{"name": "Pine"}"#).eq("id", "1"),
            "update corners.shelves set name = 'Pine' where id = 1",
        ),
        (user.table("shelves").delete().eq("id", "1"), "delete from corners.shelves where id = 1"),
        (user.table("sealed").insert(r#"{"id": 1}"#), "insert into corners.sealed (id) values (1)"),
    ];
    for (request, sql) in cases {
        suite.write_refused(user, request, sql, "select id, name from corners.things order by id").await;
    }
    // Without a list of columns, all rows of an array have the same keys.
    suite.documented(things(r#"[{"id": 200, "name": "a"}, {"id": 201}]"#), 400, "PGRST102").await;
    // As on Supabase, pg-safeupdate is loaded for the API, so a write to all rows of a table is refused.
    suite.documented(user.table("calls").delete(), 400, "21000").await;
    suite.documented(user.table("calls").update(r#"{"note": "all"}"#), 400, "21000").await;
}

/// Row-level security.
async fn own_rows(suite: &mut Suite, user: &Caller, service: &Caller) {
    let diary = || user.table("diary");
    let state = "select id, owner, line from corners.diary order by id";
    suite.read_nothing(user, diary().select("*"), "select * from corners.diary").await;
    suite
        .write(
            user,
            diary().insert(r#"{"id": 2, "line": "mine"}"#),
            201,
            "insert into corners.diary (id, line) values (2, 'mine') returning *",
            state,
        )
        .await;
    let forged = r#"{"id": 3, "owner": "00000000-0000-4000-8000-000000000001"}"#;
    let sql = "insert into corners.diary (id, owner) values (3, '00000000-0000-4000-8000-000000000001')";
    suite.write_refused(user, diary().insert(forged), sql, state).await;
    suite.read(user, diary().select("id,line"), "select id, line from corners.diary").await;
    suite
        .read_nothing(user, diary().delete().eq("id", "1").select("id"), "select id from corners.diary where id = 1")
        .await;
    let change = "update corners.diary set line = 'changed' where id > 0 returning id, line";
    suite
        .write(user, diary().update(r#"{"line": "changed"}"#).gt("id", "0").select("id,line"), 200, change, state)
        .await;
    suite
        .read(service, service.table("diary").select("*").order("id"), "select * from corners.diary order by id")
        .await;
    let all = service.table("diary").delete().gt("id", "0").select("id");
    suite.write(service, all, 200, "delete from corners.diary where id > 0 returning id", state).await;
}
