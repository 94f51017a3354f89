//! Columns, orders, ranges, counts and single rows.

use super::ODD;
use crate::callers::Caller;
use crate::suite::Suite;

pub(super) async fn run(suite: &mut Suite, anon: &Caller, service: &Caller) {
    columns(suite, anon).await;
    names(suite, anon).await;
    orders_and_ranges(suite, anon).await;
    counts(suite, anon, service).await;
    privileges(suite, anon, service).await;
}

async fn columns(suite: &mut Suite, anon: &Caller) {
    let things = || anon.table("things");
    let cases = [
        (things().select("*").order("id"), "select * from corners.things order by id"),
        (things().order("id"), "select * from corners.things order by id"),
        (things().select("id,caption:name").order("id"), "select id, name as caption from corners.things order by id"),
        (
            things().select("id,amount::text,big::text,day::text").order("id"),
            "select id, amount::text, big::text, day::text from corners.things order by id",
        ),
        (
            things().select("doc->>town,n:doc->n,first:doc->list->0,doc->list->1->y,last:doc->list->>-1").order("id"),
            "select doc->>'town' as town, doc->'n' as n, doc->'list'->0 as first, doc->'list'->1->'y' as y, doc->'list'->>-1 as last
               from corners.things order by id",
        ),
        (
            things().select("id,x:spot->x,spot->>label,first_tag:tags->0,cell:grid->1->0").order("id"),
            "select id, to_jsonb(spot)->'x' as x, to_jsonb(spot)->>'label' as label, to_jsonb(tags)->0 as first_tag,
                    to_jsonb(grid)->1->0 as cell
               from corners.things order by id",
        ),
        (things().select("id,title").order("id"), "select id, corners.title(t) as title from corners.things t order by id"),
        (
            things().select("title").eq("title", "1: pier"),
            "select corners.title(t) as title from corners.things t where corners.title(t) = '1: pier'",
        ),
        (things().select("doubled,words").eq("id", "2"), "select doubled, words from corners.things where id = 2"),
        (anon.table("counted").order("things.desc,shelf_id"), "select * from corners.counted order by things desc, shelf_id"),
        (anon.table("done_things").order("id.desc"), "select * from corners.done_things order by id desc"),
    ];
    for (request, sql) in cases {
        suite.read(anon, request, sql).await;
    }
}

async fn names(suite: &mut Suite, anon: &Caller) {
    let odd = || anon.table(ODD);
    let cases = [
        (odd().order("\"the id\""), r#"select * from corners."Odd ""Name"", 1.0" order by "the id""#),
        (
            odd()
                .select(r#""the id","with.dot","co,mma","quo\"te",select,"naïve ☂","(paren)""#)
                .order(r#""with.dot".desc.nullslast"#),
            r#"select "the id", "with.dot", "co,mma", "quo""te", "select", "naïve ☂", "(paren)" from corners."Odd ""Name"", 1.0"
                order by "with.dot" desc nulls last"#,
        ),
        (
            odd().select(r#"dotted:"with.dot","of all":"the id""#).eq(r#""with.dot""#, "a.b"),
            r#"select "with.dot" as dotted, "the id" as "of all" from corners."Odd ""Name"", 1.0" where "with.dot" = 'a.b'"#,
        ),
        (
            odd().select("\"the id\"").eq(r#""co,mma""#, "x,y"),
            r#"select "the id" from corners."Odd ""Name"", 1.0" where "co,mma" = 'x,y'"#,
        ),
        (
            odd().select("\"the id\"").in_(r#""co,mma""#, [r#""it's \"so\"""#, r#""""#]).order("\"the id\""),
            r#"select "the id" from corners."Odd ""Name"", 1.0" where "co,mma" in ('it''s "so"', '') order by "the id""#,
        ),
        (
            odd().select("\"the id\"").gte(r#""(paren)""#, "2"),
            r#"select "the id" from corners."Odd ""Name"", 1.0" where "(paren)" >= 2"#,
        ),
        (
            odd().select("\"the id\"").is("\"naïve ☂\"", "null"),
            r#"select "the id" from corners."Odd ""Name"", 1.0" where "naïve ☂" is null"#,
        ),
        (
            odd()
                .select("\"the id\"")
                .or(r#""with.dot".eq."a.b",and("quo\"te".gt.1,"the id".lt.9)"#)
                .order("\"the id\""),
            r#"select "the id" from corners."Odd ""Name"", 1.0" where "with.dot" = 'a.b' or ("quo""te" > 1 and "the id" < 9) order by "the id""#,
        ),
    ];
    for (request, sql) in cases {
        suite.read(anon, request, sql).await;
    }
}

async fn orders_and_ranges(suite: &mut Suite, anon: &Caller) {
    let things = || anon.table("things").select("id");
    let cases = [
        (
            things().order("amount.desc.nullsfirst,id"),
            "select id from corners.things order by amount desc nulls first, id",
        ),
        (
            things().order("amount.asc.nullslast,id.desc"),
            "select id from corners.things order by amount asc nulls last, id desc",
        ),
        (
            things().order_with_options("big", None::<&str>, false, true).order("id"),
            "select id from (select id, big from corners.things where big is null order by id) a
             union all select id from (select id, big from corners.things where big is not null order by big desc) b",
        ),
        (
            things().order("doc->>town.desc.nullslast,id"),
            "select id from corners.things order by doc->>'town' desc nulls last, id",
        ),
        (things().order("mood,id"), "select id from corners.things order by mood, id"),
        (things().order("spot->x,id.desc"), "select id from corners.things order by to_jsonb(spot)->'x', id desc"),
        (things().order("id").limit(3), "select id from corners.things order by id limit 3"),
        (things().order("id").range(2, 4), "select id from corners.things order by id limit 3 offset 2"),
        (things().order("id").range(6, 20), "select id from corners.things order by id offset 6"),
    ];
    for (request, sql) in cases {
        suite.read(anon, request, sql).await;
    }
    let beyond = "select id from corners.things offset 100";
    suite.read_nothing(anon, things().order("id").range(100, 110), beyond).await;
    // With a count, a range behind the last row is refused.
    suite.documented(things().order("id").exact_count().range(100, 110), 416, "PGRST103").await;
}

async fn counts(suite: &mut Suite, anon: &Caller, service: &Caller) {
    let things = || anon.table("things").select("id").order("id");
    for (request, sql) in [
        (things(), "select id from corners.things order by id"),
        (things().gt("amount", "1"), "select id from corners.things where amount > 1 order by id"),
        (things().eq("id", "1"), "select id from corners.things where id = 1"),
        (
            anon.table("shelves").select("id,things!shelf_id!inner(id)").eq("things.done", "true").order("id"),
            "select s.id, (select json_agg(json_build_object('id', t.id)) from corners.things t where t.shelf_id = s.id and t.done) as things
               from corners.shelves s where exists (select from corners.things t where t.shelf_id = s.id and t.done) order by s.id",
        ),
    ] {
        suite.count(anon, request, sql).await;
    }
    // The table has no row-level security and was analyzed, so the planner's estimate equals the number of its rows.
    let rows = "(select reltuples::bigint from pg_class where oid = 'corners.things'::regclass)";
    suite.total(service, service.table("things").select("id").planned_count(), rows).await;
    suite.total(service, service.table("things").select("id").estimated_count(), rows).await;
}

async fn privileges(suite: &mut Suite, anon: &Caller, service: &Caller) {
    let first = |name| anon.table(name).select("*").eq("id", "1");
    suite.read_one(anon, first("things"), "select * from corners.things where id = 1").await;
    suite.read_one(anon, anon.table("narrow").select("id,shown"), "select id, shown from corners.narrow").await;
    suite.read_one(service, service.table("narrow").select("*"), "select * from corners.narrow").await;
    for (request, sql) in [
        (anon.table("sealed").select("*"), "select * from corners.sealed"),
        (anon.table("diary").select("*"), "select * from corners.diary"),
        (anon.table("narrow").select("hidden"), "select hidden from corners.narrow"),
        (anon.table("narrow").select("*"), "select * from corners.narrow"),
        (anon.table("narrow").select("id").eq("hidden", "b"), "select id from corners.narrow where hidden = 'b'"),
        // PostgreSQL cannot compare a composite value with a literal.
        (
            anon.table("things").select("id").eq("spot", r#"(1,2.50,"a, b")"#),
            r#"select id from corners.things where spot = '(1,2.50,"a, b")'"#,
        ),
    ] {
        suite.read_refused(anon, request, sql).await;
    }
}
