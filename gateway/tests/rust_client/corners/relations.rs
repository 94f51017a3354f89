//! Embedded tables: to one, to many, many to many, views, computed relations, spread, filters, orders and limits inside.

use super::ODD;
use crate::callers::Caller;
use crate::suite::Suite;

pub(super) async fn run(suite: &mut Suite, anon: &Caller) {
    shapes(suite, anon).await;
    inside(suite, anon).await;
}

async fn shapes(suite: &mut Suite, anon: &Caller) {
    let (things, shelves) = (|| anon.table("things"), || anon.table("shelves"));
    let cases = [
        (
            things().select("id,shelves!things_shelf_id_fkey(*)").order("id"),
            "select id, (select row_to_json(s) from corners.shelves s where s.id = t.shelf_id) as shelves from corners.things t order by id",
        ),
        (
            things().select("id,shelf:shelves!shelf_id(name),home:shelves!home_id(name,room)").order("id"),
            "select id, (select json_build_object('name', s.name) from corners.shelves s where s.id = t.shelf_id) as shelf,
                    (select json_build_object('name', s.name, 'room', s.room) from corners.shelves s where s.id = t.home_id) as home
               from corners.things t order by id",
        ),
        (
            shelves().select("name,things!things_shelf_id_fkey(id,name)").order("id"),
            "select name, coalesce((select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.id)
                                      from corners.things t where t.shelf_id = s.id), '[]') as things
               from corners.shelves s order by s.id",
        ),
        (
            anon.table("labels").select("text,things(id)").order("id"),
            "select text, coalesce((select json_agg(json_build_object('id', tl.thing_id) order by tl.thing_id)
                                      from corners.thing_labels tl where tl.label_id = l.id), '[]') as things
               from corners.labels l order by l.id",
        ),
        (
            anon.table("thing_labels").select("since,labels(text),things(name,shelves!shelf_id(name))").order("thing_id,label_id"),
            "select since, (select json_build_object('text', l.text) from corners.labels l where l.id = tl.label_id) as labels,
                    (select json_build_object('name', t.name, 'shelves', (select json_build_object('name', s.name)
                                                                            from corners.shelves s where s.id = t.shelf_id))
                       from corners.things t where t.id = tl.thing_id) as things
               from corners.thing_labels tl order by thing_id, label_id",
        ),
        (
            things().select("id,...shelves!shelf_id(shelf:name,room)").order("id"),
            "select t.id, s.name as shelf, s.room from corners.things t left join corners.shelves s on s.id = t.shelf_id order by t.id",
        ),
        (
            things().select("id,neighbours(id)").eq("id", "2"),
            "select id, (select json_agg(json_build_object('id', n.id) order by n.id) from corners.neighbours(t) n) as neighbours
               from corners.things t where id = 2",
        ),
        (
            anon.table("done_things").select("id,shelves(name)").order("id"),
            "select id, (select json_build_object('name', s.name) from corners.shelves s where s.id = d.shelf_id) as shelves
               from corners.done_things d order by id",
        ),
        (
            shelves().select(r#"name,"Odd \"Name\", 1.0"("the id","with.dot")"#).eq("id", "2"),
            r#"select name, (select json_agg(json_build_object('the id', o."the id", 'with.dot', o."with.dot"))
                               from corners."Odd ""Name"", 1.0" o where o.shelf_id = s.id) as "Odd ""Name"", 1.0"
                 from corners.shelves s where s.id = 2"#,
        ),
        (
            anon.table(ODD).select(r#""the id",shelf:shelves(name)"#).order(r#""the id""#),
            r#"select "the id", (select json_build_object('name', s.name) from corners.shelves s where s.id = o.shelf_id) as shelf
                 from corners."Odd ""Name"", 1.0" o order by "the id""#,
        ),
        (
            things().select("id,title,labels()").not("is", "labels", "null").order("id"),
            "select id, corners.title(t) as title from corners.things t
              where exists (select from corners.thing_labels tl where tl.thing_id = t.id) order by id",
        ),
        (
            things().select("id,labels(text)").is("labels", "null").order("id"),
            "select id, '[]'::json as labels from corners.things t
              where not exists (select from corners.thing_labels tl where tl.thing_id = t.id) order by id",
        ),
    ];
    for (request, sql) in cases {
        suite.read(anon, request, sql).await;
    }
}

/// Filters, orders and limits of embedded tables.
async fn inside(suite: &mut Suite, anon: &Caller) {
    let (things, shelves) = (|| anon.table("things"), || anon.table("shelves"));
    let cases = [
        (
            things().select("id,labels!inner(text)").eq("labels.text", "wet").order("id"),
            "select id, json_build_array(json_build_object('text', 'wet')) as labels from corners.things t
              where exists (select from corners.thing_labels tl where tl.thing_id = t.id and tl.label_id = 1) order by id",
        ),
        (
            things().select("id,labels(text)").eq("labels.text", "wet").in_("id", ["1", "2"]).order("id"),
            "select id, coalesce((select json_agg(json_build_object('text', l.text)) from corners.thing_labels tl
                                    join corners.labels l on l.id = tl.label_id where tl.thing_id = t.id and l.text = 'wet'), '[]') as labels
               from corners.things t where id in (1, 2) order by id",
        ),
        (
            shelves().select("name,things!shelf_id(id)").order("id").order_with_options("id", Some("things"), false, false),
            "select name, coalesce((select json_agg(json_build_object('id', t.id) order by t.id desc)
                                      from corners.things t where t.shelf_id = s.id), '[]') as things
               from corners.shelves s order by s.id",
        ),
        (
            shelves()
                .select("name,things!shelf_id(id)")
                .order("id")
                .order_with_options("amount", Some("things"), false, false)
                .foreign_table_limit(1, "things"),
            "select name, coalesce((select json_agg(json_build_object('id', x.id)) from (
                              select id from corners.things t where t.shelf_id = s.id order by amount desc nulls last limit 1) x), '[]') as things
               from corners.shelves s order by s.id",
        ),
        (
            shelves().select("name,contents:things!shelf_id(id,labels(text))").eq("id", "1").eq("contents.labels.text", "old").order("id"),
            "select name, (select json_agg(json_build_object('id', t.id, 'labels', coalesce(
                              (select json_agg(json_build_object('text', l.text)) from corners.thing_labels tl
                                 join corners.labels l on l.id = tl.label_id where tl.thing_id = t.id and l.text = 'old'), '[]')) order by t.id)
                             from corners.things t where t.shelf_id = s.id) as contents
               from corners.shelves s where s.id = 1",
        ),
    ];
    for (request, sql) in cases {
        suite.read(anon, request, sql).await;
    }
    // The order of a table by a column of a table to which it refers.
    let by_shelf = things().select("id,shelf:shelves!shelf_id(name)").order("shelf(name).desc.nullslast,id");
    let sql = "select t.id, case when s.id is not null then json_build_object('name', s.name) end as shelf
                 from corners.things t left join corners.shelves s on s.id = t.shelf_id order by s.name desc nulls last, t.id";
    suite.read(anon, by_shelf, sql).await;
}
