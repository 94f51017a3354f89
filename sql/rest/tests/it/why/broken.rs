//! Forty cases in which one policy or grant is broken: the explanation must name the broken policy or grant.

use super::{Scene, caller, run, snapshot};
use cloch_rest::why::{Cause, Command, Outcome, Question, Sessions, why};
use cloch_sql::testing::TestDatabase;
use serde_json::json;

const ME: &str = "00000000-0000-4000-8000-00000000000a";

/// SQL of a table with rows that a signed-in user may read and write if the rows are the user's own and open.
const SETUP: &str = "
create table public.T (id bigint generated always as identity primary key, owner uuid, state text default 'open', at timestamptz default now());
alter table public.T enable row level security;
create policy own_select on public.T for select to authenticated using (owner = auth.uid());
create policy own_insert on public.T for insert to authenticated with check (owner = auth.uid());
create policy own_update on public.T for update to authenticated using (owner = auth.uid());
create policy own_delete on public.T for delete to authenticated using (owner = auth.uid());
create policy open_only on public.T as restrictive for all to authenticated using (state = 'open');
insert into public.T (owner) values ('00000000-0000-4000-8000-00000000000a');
";

/// Statements that break access, each with the expected cause for each of the four commands.
const BREAKS: [(&str, [&str; 4]); 10] = [
    ("revoke select on public.T from authenticated", ["no SELECT", "", "no SELECT", "no SELECT"]),
    ("revoke insert, update, delete on public.T from authenticated", ["", "no INSERT", "no UPDATE", "no DELETE"]),
    ("revoke usage on schema public from authenticated, public", ["schema", "schema", "schema", "schema"]),
    ("drop policy own_select on public.T", ["none SELECT", "", "none SELECT", "none SELECT"]),
    (
        "drop policy own_insert on public.T; drop policy own_update on public.T; drop policy own_delete on public.T",
        ["", "none INSERT", "none UPDATE", "none DELETE"],
    ),
    (
        "alter policy own_select on public.T using (owner <> auth.uid())",
        ["SELECT own_select", "", "SELECT own_select", "SELECT own_select"],
    ),
    (
        "alter policy own_insert on public.T with check (owner is null); alter policy own_update on public.T using (owner is null); \
      alter policy own_delete on public.T using (null)",
        ["", "INSERT own_insert", "UPDATE own_update", "DELETE own_delete"],
    ),
    (
        "alter policy open_only on public.T using (state = 'shut')",
        ["SELECT !open_only", "INSERT !open_only", "UPDATE !open_only", "DELETE !open_only"],
    ),
    (
        "alter policy own_select on public.T to service_role; alter policy own_insert on public.T to service_role; \
      alter policy own_update on public.T to service_role; alter policy own_delete on public.T to service_role",
        ["none SELECT", "none INSERT", "none UPDATE", "none DELETE"],
    ),
    ("alter policy open_only on public.T using (1 / (id - id) = 1 or (state::int) = 1)", ["fails open_only"; 4]),
];

fn short(cause: Option<&Cause>) -> String {
    match cause {
        None => String::new(),
        Some(Cause::Privilege { privilege, .. }) => format!("no {}", privilege.keyword()),
        Some(Cause::Schema { .. }) => "schema".to_owned(),
        Some(Cause::NoPolicy { command }) => format!("none {}", command.keyword()),
        Some(Cause::NotPermitted { command, policies, .. }) => format!("{} {}", command.keyword(), policies.join(" ")),
        Some(Cause::Restricted { command, policy, .. }) => format!("{} !{policy}", command.keyword()),
        Some(Cause::PolicyFails { policy, .. }) => format!("fails {policy}"),
        Some(other) => format!("{other:?}"),
    }
}

#[tokio::test]
async fn each_broken_policy_is_named() {
    let mut asked = 0;
    for (number, (breaks, causes)) in BREAKS.iter().enumerate() {
        let database = TestDatabase::platform().await;
        let mut admin = database.superuser().acquire().await.unwrap();
        let table = "wares";
        run(&mut admin, &SETUP.replace("public.T", &format!("public.{table}"))).await;
        for breaking in [None, Some(*breaks)] {
            if let Some(breaking) = breaking {
                run(&mut admin, &breaking.replace("public.T", &format!("public.{table}"))).await;
            }
            let before = snapshot(&mut admin).await;
            let mut scene = Scene::new(&database).await;
            let me = || caller(json!({ "role": "authenticated", "sub": ME }));
            let row = format!("/{table}?id=eq.1");
            let insert = json!({ "owner": ME });
            for ((method, uri, body), cause) in [
                ("GET", row.clone(), json!(null)),
                ("POST", format!("/{table}"), insert),
                ("PATCH", row.clone(), json!({ "at": "2026-01-01" })),
                ("DELETE", row.clone(), json!(null)),
            ]
            .into_iter()
            .zip(causes)
            {
                let explained = scene.ask(me(), method, &uri, body).await;
                let expected = if breaking.is_some() { *cause } else { "" };
                assert_eq!(short(explained.cause.as_ref()), expected, "{number} {method}: {explained}");
                assert_eq!(
                    explained.outcome == Outcome::Allowed,
                    expected.is_empty(),
                    "{number} {method}: {explained}"
                );
                asked += usize::from(breaking.is_some());
            }
            assert_eq!(snapshot(&mut admin).await, before, "an explanation changed something, a sequence perhaps");
        }
    }
    assert_eq!(asked, 40);
}

#[tokio::test]
async fn objects_and_channels_are_explained() {
    let database = TestDatabase::platform().await;
    let mut admin = database.superuser().acquire().await.unwrap();
    run(
        &mut admin,
        "insert into storage.buckets (id, name) values ('scans', 'scans');
         insert into storage.objects (bucket_id, name, owner_id) values ('scans', 'a.png', 'somebody');
         create policy own_files on storage.objects for select to authenticated using (owner_id = (select auth.uid())::text);
         create policy rooms on realtime.messages for select to authenticated using (realtime.topic() like 'room:%');",
    )
    .await;
    let before = snapshot(&mut admin).await;
    let me = || caller(json!({ "role": "authenticated", "sub": ME }));
    for (question, outcome, cause) in [
        (Question::of_object(me(), Command::Select, "scans", "a.png"), Outcome::Hidden, "SELECT own_files"),
        (Question::of_object(me(), Command::Select, "scans", "b.png"), Outcome::NoRows, "NoRows"),
        (Question::of_object(me(), Command::Insert, "scans", "b.png"), Outcome::Refused, "none INSERT"),
        (Question::of_channel(me(), Command::Select, "room:1", "broadcast"), Outcome::Allowed, ""),
        (Question::of_channel(me(), Command::Select, "hall", "broadcast"), Outcome::Hidden, "SELECT rooms"),
        (Question::of_channel(me(), Command::Insert, "room:1", "presence"), Outcome::Refused, "none INSERT"),
    ] {
        let mut sessions = Sessions::open(database.database().logins(), question.caller.role()).await.unwrap();
        let explained = why(&mut sessions, &question).await.unwrap();
        assert_eq!(short(explained.cause.as_ref()), cause, "{explained}");
        assert_eq!(explained.outcome, outcome, "{explained}");
    }
    assert_eq!(snapshot(&mut admin).await, before, "an explanation changed something");
}
