//! The club's tables: visitors, entrants, accounts, admins and judges.

use crate::callers::{Caller, Callers};
use crate::suite::Suite;

/// Submission key of the entry that the suite inserts.
const KEY: &str = "11111111-2222-4333-8444-555555555555";

pub(crate) async fn run(suite: &mut Suite, callers: &Callers) {
    visitors(suite, callers).await;
    entries(suite, callers).await;
    judging(suite, callers).await;
    office(suite, &callers.admin).await;
    office_writes(suite, &callers.admin).await;
    functions(suite, callers).await;
}

/// Tests callers who may not read: visitors, and accounts without a role.
async fn visitors(suite: &mut Suite, callers: &Callers) {
    for table in ["schools", "contacts", "young_artist_entries", "user_roles", "audit_log"] {
        let sql = format!("select * from public.{table}");
        for caller in [&callers.anon, &callers.entrant] {
            suite.read_refused(caller, caller.table(table).select("*"), &sql).await;
        }
        suite.read_nothing(&callers.stranger, callers.stranger.table(table).select("*"), &sql).await;
        suite.read_refused(&callers.judge, callers.judge.table(table).select("*"), &sql).await;
    }
    let (stranger, state) = (&callers.stranger, "select name from public.schools order by name");
    let school = stranger.table("schools").insert(r#"{"name": "Forged"}"#).select("name");
    suite.write_refused(stranger, school, "insert into public.schools (name) values ('Forged')", state).await;
    let nothing = stranger.table("schools").delete().like("name", "%").select("name");
    suite.read_nothing(stranger, nothing, "select name from public.schools where name like '%'").await;
}

/// An entrant may insert an entry, but cannot read anything. By default, the crate requests the inserted rows, which the server refuses. A
/// request for a count instead is accepted.
async fn entries(suite: &mut Suite, callers: &Callers) {
    let entrant = &callers.entrant;
    let state = "select entrant_name, age, category, school, artwork_title, uploaded_files, school_id, junior_ranking, submission_key
                   from public.young_artist_entries where parent_guardian_email = 'rust@example.org' order by entrant_name";
    let insert = |fields: &str| {
        let row = format!(r#"{{"parent_guardian_email": "rust@example.org", "submission_key": "{KEY}", {fields}}}"#);
        entrant.table("young_artist_entries").insert(row)
    };
    let into = |columns: &str, values: &str| {
        format!(
            "insert into public.young_artist_entries (parent_guardian_email, submission_key, {columns}) values ('rust@example.org', '{KEY}', {values})"
        )
    };
    let child = r#""entrant_name": "Rona \"Ro\" McRust, jr.", "age": 9, "category": "junior", "school": "Kempock Primary School", "uploaded_files": []"#;
    let sql = into(
        "entrant_name, age, category, school, uploaded_files",
        r#"'Rona "Ro" McRust, jr.', 9, 'junior', 'Kempock Primary School', '{}'"#,
    );
    suite.write_refused(entrant, insert(child), &format!("{sql} returning *"), state).await;
    suite.write(entrant, insert(child).exact_count(), 201, &sql, state).await;
    for (fields, columns, values) in [
        (
            child,
            "entrant_name, age, category, school, uploaded_files",
            r#"'Rona "Ro" McRust, jr.', 9, 'junior', 'Kempock Primary School', '{}'"#,
        ),
        (r#""entrant_name": "A", "age": 4, "category": "junior""#, "entrant_name, age, category", "'A', 4, 'junior'"),
        (r#""entrant_name": "A", "age": 9, "category": "infant""#, "entrant_name, age, category", "'A', 9, 'infant'"),
        (r#""entrant_name": " ", "age": 9, "category": "junior""#, "entrant_name, age, category", "' ', 9, 'junior'"),
        (r#""age": 9, "category": "junior""#, "age, category", "9, 'junior'"),
        (
            r#""entrant_name": "A", "age": "nine", "category": "junior""#,
            "entrant_name, age, category",
            "'A', 'nine', 'junior'",
        ),
        // The role has no privilege on this column.
        (
            r#""entrant_name": "A", "age": 9, "category": "junior", "junior_ranking": 1"#,
            "entrant_name, age, category, junior_ranking",
            "'A', 9, 'junior', 1",
        ),
        (
            r#""entrant_name": "A", "age": 9, "category": "junior", "uploaded_files": ["../secret"]"#,
            "entrant_name, age, category, uploaded_files",
            "'A', 9, 'junior', '{../secret}'",
        ),
    ] {
        suite.write_refused(entrant, insert(fields).exact_count(), &into(columns, values), state).await;
    }
    let change = entrant.table("young_artist_entries").eq("submission_key", KEY).update(r#"{"age": 10}"#);
    let sql = format!("update public.young_artist_entries set age = 10 where submission_key = '{KEY}'");
    suite.write_refused(entrant, change, &sql, state).await;
    let removal = entrant.table("young_artist_entries").eq("submission_key", KEY).delete();
    let sql = format!("delete from public.young_artist_entries where submission_key = '{KEY}'");
    suite.write_refused(entrant, removal, &sql, state).await;
}

/// A judge can read some columns of some entries, and give them places.
async fn judging(suite: &mut Suite, callers: &Callers) {
    let (judge, former) = (&callers.judge, &callers.former_judge);
    let artists = |caller: &Caller| caller.table("young_artist_entries");
    let columns = "entrant_name,age,category,medium,junior_ranking,senior_ranking,ranking_conflict";
    for (request, sql) in [
        (
            artists(judge).select(columns).order("created_at"),
            format!("select {columns} from public.young_artist_entries order by created_at"),
        ),
        (
            artists(judge).select("entrant_name,schools(name)").ilike("category", "SENIOR").order("entrant_name"),
            "select entrant_name, (select json_build_object('name', s.name) from public.schools s where s.id = e.school_id) as schools
               from public.young_artist_entries e where category ilike 'SENIOR' order by entrant_name"
                .to_owned(),
        ),
        (
            judge.table("young_photographer_entries").select("entrant_name,photo_description").not("is", "senior_ranking", "null"),
            "select entrant_name, photo_description from public.young_photographer_entries where senior_ranking is not null".to_owned(),
        ),
        (judge.table("schools").select("id,name").order("name"), "select id, name from public.schools order by name".to_owned()),
    ] {
        suite.read(judge, request, &sql).await;
    }
    suite
        .read_refused(
            judge,
            artists(judge).select("entrant_name,email"),
            "select entrant_name, email from public.young_artist_entries",
        )
        .await;
    suite.read_refused(judge, judge.table("schools").select("phone"), "select phone from public.schools").await;
    // The token of a replaced password opens nothing.
    suite
        .read_nothing(
            former,
            artists(former).select("entrant_name"),
            "select entrant_name from public.young_artist_entries",
        )
        .await;

    let state = "select entrant_name, junior_ranking, senior_ranking, ranking_conflict, age from public.young_artist_entries order by entrant_name";
    let place = |body: &str| {
        artists(judge)
            .update(body)
            .eq("entrant_name", "Maisie Thorburn")
            .select("entrant_name,junior_ranking,ranking_conflict")
    };
    let placed = |values: &str| {
        format!(
            "update public.young_artist_entries set {values} where entrant_name = 'Maisie Thorburn' returning entrant_name, junior_ranking, ranking_conflict"
        )
    };
    let (body, sql) =
        (r#"{"junior_ranking": 3, "ranking_conflict": true}"#, placed("junior_ranking = 3, ranking_conflict = true"));
    suite.write(judge, place(body), 200, &sql, state).await;
    for (body, values) in [
        (r#"{"junior_ranking": 4}"#, "junior_ranking = 4"),
        (r#"{"senior_ranking": 1}"#, "senior_ranking = 1"),
        (r#"{"age": 6}"#, "age = 6"),
    ] {
        suite.write_refused(judge, place(body), &placed(values), state).await;
    }
    let change =
        artists(former).update(r#"{"junior_ranking": 1}"#).eq("entrant_name", "Maisie Thorburn").select("entrant_name");
    suite
        .read_nothing(
            former,
            change,
            "select entrant_name from public.young_artist_entries where entrant_name = 'Maisie Thorburn'",
        )
        .await;
}

/// The read requests of the back-office.
async fn office(suite: &mut Suite, admin: &Caller) {
    let cases = [
        (admin.table("schools").select("*").order("name"), "select * from public.schools order by name"),
        (
            admin.table("schools").select("name,departments(name)").order("name").order_with_options("name", Some("departments"), true, false),
            "select name, coalesce((select json_agg(json_build_object('name', d.name) order by d.name)
                                      from public.departments d where d.school_id = s.id), '[]') as departments
               from public.schools s order by name",
        ),
        (
            admin
                .table("contacts")
                .select("name,status,department:departments!contacts_department_id_fkey(name,schools(name,location))")
                .in_("status", ["confirmed_participation", "ready_for_collection"])
                .order("name"),
            "select name, status, (select json_build_object('name', d.name, 'schools', (
                       select json_build_object('name', s.name, 'location', s.location) from public.schools s where s.id = d.school_id))
                      from public.departments d where d.id = c.department_id) as department
               from public.contacts c where status in ('confirmed_participation', 'ready_for_collection') order by name",
        ),
        (
            admin.table("offline_submissions").select("count,category,schools!inner(name)").eq("schools.location", "Gourock").order("count.desc"),
            "select count, category, json_build_object('name', s.name) as schools from public.offline_submissions o
               join public.schools s on s.id = o.school_id where s.location = 'Gourock' order by count desc",
        ),
        (
            admin.table("judges").select("name,judge_categories(category)").order("name").order_with_options("category", Some("judge_categories"), true, false),
            "select name, (select json_agg(json_build_object('category', c.category) order by c.category)
                             from public.judge_categories c where c.judge_id = j.id) as judge_categories
               from public.judges j order by name",
        ),
        (
            admin.table("event_checklist_items").select("item_name,due_date").is("is_completed", "false").order("due_date,item_name").limit(3),
            "select item_name, due_date from public.event_checklist_items where is_completed is false order by due_date, item_name limit 3",
        ),
        (
            admin.table("invited_guests").select("name,email").or("status.eq.declined,and(status.eq.invited,email.is.null)").order("name"),
            "select name, email from public.invited_guests where status = 'declined' or (status = 'invited' and email is null) order by name",
        ),
        (
            admin.table("young_artist_entries").select("entrant_name,submission_key,uploaded_files").eq("submission_key", KEY),
            "select entrant_name, submission_key, uploaded_files from public.young_artist_entries where parent_guardian_email = 'rust@example.org'",
        ),
    ];
    for (request, sql) in cases {
        suite.read(admin, request, sql).await;
    }
    for table in ["young_artist_entries", "young_musician_entries", "contacts"] {
        suite
            .count(
                admin,
                admin.table(table).select("id").order("id"),
                &format!("select id from public.{table} order by id"),
            )
            .await;
    }
    suite
        .read_one(
            admin,
            admin.table("user_roles").select("user_id,role"),
            "select user_id, role from public.user_roles",
        )
        .await;
}

async fn office_writes(suite: &mut Suite, admin: &Caller) {
    let schools = "select id, name, location, notes from public.schools order by name";
    let id = "00000000-0000-4000-8000-0000000000aa";
    let school = format!(r#"{{"id": "{id}", "name": "Rust \"Ferrous\" School", "notes": "a, b; c"}}"#);
    let sql = format!(
        r#"insert into public.schools (id, name, notes) values ('{id}', 'Rust "Ferrous" School', 'a, b; c') returning id, name, location"#
    );
    suite.write(admin, admin.table("schools").insert(school).select("id,name,location"), 201, &sql, schools).await;
    let sql = format!("update public.schools set location = 'Largs' where id = '{id}' returning name, location");
    let change = admin.table("schools").update(r#"{"location": "Largs"}"#).eq("id", id).select("name,location");
    suite.write(admin, change, 200, &sql, schools).await;
    for (body, values) in [
        (r#"{"email": "no address"}"#, "email = 'no address'"),
        (r#"{"name": " "}"#, "name = ' '"),
        (r#"{"name": null}"#, "name = null"),
    ] {
        let sql = format!("update public.schools set {values} where id = '{id}'");
        suite.write_refused(admin, admin.table("schools").update(body).eq("id", id), &sql, schools).await;
    }

    // An upsert with a key other than the primary key.
    let state = "select category, count, notes from public.offline_submissions order by school_id, category";
    for (status, count) in [(201, 5), (200, 7)] {
        let row = format!(r#"{{"school_id": "{id}", "category": "artist", "count": {count}}}"#);
        let sql = format!(
            "insert into public.offline_submissions (school_id, category, count) values ('{id}', 'artist', {count})
             on conflict (school_id, category) do update set count = excluded.count returning category, count"
        );
        let upsert =
            admin.table("offline_submissions").upsert(row).on_conflict("school_id,category").select("category,count");
        suite.write(admin, upsert, status, &sql, state).await;
    }
    let sql = format!("delete from public.schools where id = '{id}'");
    suite.write_refused(admin, admin.table("schools").delete().eq("id", id), &sql, schools).await;
    let sql = format!("delete from public.offline_submissions where school_id = '{id}' returning category");
    suite
        .write(
            admin,
            admin.table("offline_submissions").delete().eq("school_id", id).select("category"),
            200,
            &sql,
            state,
        )
        .await;
    let sql = format!("delete from public.schools where id = '{id}' returning name");
    suite.write(admin, admin.table("schools").delete().eq("id", id).select("name"), 200, &sql, schools).await;

    // A deletion that cascades.
    let judges = "select j.name, c.category from public.judges j left join public.judge_categories c on c.judge_id = j.id order by 1, 2";
    let first = "(select min(name) from public.judges)";
    let all =
        admin.table("judges").select("name").order("name").limit(1).execute().await.unwrap().text().await.unwrap();
    let name = serde_json::from_str::<serde_json::Value>(&all).unwrap()[0]["name"].as_str().unwrap().to_owned();
    let sql = format!("delete from public.judges where name = {first} returning name");
    suite.write(admin, admin.table("judges").delete().eq("name", name).select("name"), 200, &sql, judges).await;
    // The server writes the log; an admin reads it.
    suite
        .write_refused(
            admin,
            admin.table("audit_log").delete().not("is", "id", "null"),
            "delete from public.audit_log where id is not null",
            "select count(*) from public.audit_log",
        )
        .await;
}

async fn functions(suite: &mut Suite, callers: &Callers) {
    let Callers { anon, entrant, stranger, admin, judge, .. } = callers;
    for caller in [anon, entrant, stranger] {
        suite.call(caller, caller.rpc("published_content", "{}"), "public.published_content()").await;
    }
    let list = "(select json_agg(a) from public.list_admins() a)";
    suite.call_refused(anon, anon.rpc("list_admins", "{}"), list).await;
    suite.call_refused(stranger, stranger.rpc("list_admins", "{}"), list).await;
    suite.call_refused(judge, judge.rpc("list_admins", "{}"), list).await;
    suite.call(admin, admin.rpc("list_admins", "{}"), list).await;
    for caller in [admin, judge] {
        suite.read(caller, caller.rpc("award_counts", "{}"), "select * from public.award_counts()").await;
    }
    let own = admin.claims["sub"].as_str().unwrap();
    let arguments = format!(r#"{{"_user_id": "{own}", "_role": "admin"}}"#);
    let expression = format!("public.has_role('{own}', 'admin')");
    suite.call(admin, admin.rpc("has_role", &arguments), &expression).await;
    suite.call(stranger, stranger.rpc("has_role", &arguments), &expression).await;
    let wrong = format!(r#"{{"_user_id": "{own}", "_role": "king"}}"#);
    suite
        .call_refused(
            admin,
            admin.rpc("has_role", &wrong),
            &format!("public.has_role('{own}', 'king'::text::public.app_role)"),
        )
        .await;

    let state = "select name, email, status, department_id from public.contacts order by name";
    let sql = "(select public.save_contact('{\"name\": \"Rust Contact\", \"email\": \"rust@example.org\", \"status\": \"declined\"}', array[min(id::text)::uuid]) from public.departments)";
    let departments =
        admin.table("departments").select("id").order("id").limit(1).execute().await.unwrap().text().await.unwrap();
    let department =
        serde_json::from_str::<serde_json::Value>(&departments).unwrap()[0]["id"].as_str().unwrap().to_owned();
    let arguments = format!(
        r#"{{"record": {{"name": "Rust Contact", "email": "rust@example.org", "status": "declined"}}, "departments": ["{department}"]}}"#
    );
    suite.write_call(admin, admin.rpc("save_contact", &arguments), sql, state).await;
    let none = r#"{"record": {"name": "Nobody"}, "departments": []}"#;
    suite
        .call_refused(admin, admin.rpc("save_contact", none), "public.save_contact('{\"name\": \"Nobody\"}', '{}')")
        .await;
    suite
        .call_refused(
            stranger,
            stranger.rpc("save_contact", none),
            "public.save_contact('{\"name\": \"Nobody\"}', '{}')",
        )
        .await;
}
