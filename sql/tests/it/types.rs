//! Tests of the TypeScript types generated for a schema.

use cloch_sql::testing::TestDatabase;
use cloch_sql::types::typescript;

#[tokio::test]
async fn every_kind_of_thing_has_its_form() {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap();
    sqlx::raw_sql(
        "create type mood as enum ('calm', 'a \"rough\" sea');
         create type point2 as (x int, y int);
         create domain email as text check (value like '%@%');
         create table piers (id bigint generated always as identity primary key, name text not null);
         create table boats (
             id uuid primary key default gen_random_uuid(), pier bigint not null unique references piers,
             mood mood, moods mood[], \"sea trials\" jsonb, contact email not null, berth point2, refit interval,
             length numeric generated always as (1) stored);
         create view calm_boats as select id, mood from boats;
         create function sail(boat uuid, knots int default 5) returns setof boats language sql as 'select * from boats';
         create function tides() returns table (high timestamptz, metres float8) language sql as 'select now(), 1.0';",
    )
    .execute(&mut *connection)
    .await
    .unwrap();
    let source = typescript(&mut connection, &["public".to_owned()]).await.unwrap();
    for expected in [
        "mood: \"calm\" | \"a \\\"rough\\\" sea\"\n",
        "mood: Database[\"public\"][\"Enums\"][\"mood\"] | null\n",
        "moods: Database[\"public\"][\"Enums\"][\"mood\"][] | null\n",
        "\"sea trials\": Json | null\n",
        "contact: string\n",
        "refit: string | null\n",
        "length?: never\n",
        "pier: number\n",
        "id?: string\n",
        "isOneToOne: true\n",
        "referencedRelation: \"piers\"\n",
        "sail: { Args: { boat: string; knots?: number }; Returns: { berth: Database[\"public\"][\"CompositeTypes\"][\"point2\"] | null; ",
        "; SetofOptions: { from: \"*\"; to: \"boats\"; isOneToOne: false; isSetofReturn: true } }\n",
        "tides: { Args: Record<PropertyKey, never>; Returns: { high: string; metres: number }[] }",
        "point2: {\n        x: number | null\n",
        "calm_boats: {\n        Row: {\n          id: string\n",
    ] {
        assert!(source.contains(expected), "{expected} is missing in:\n{source}");
    }
}

/// The expected types are the output of version 3.1 of the Supabase CLI for the same database, except for `crew_of`: as in later versions
/// of the CLI, its result is one row, of which supabase-js makes an array.
const DOCKS: &str = r#"
    create schema docks;
    set local search_path = docks;
    create table piers (id int primary key, name text not null, plan jsonb not null default '{}', depth int);
    create table boats (id int primary key, pier int references piers, twin int unique references piers, lead int references boats);
    create table holds (boat boats, plain piers, plans json[] not null);
    create table shared (id int) partition by range (id);
    create table shared_1 partition of shared for values from (1) to (2);
    create view v_boats as select id, pier as berth, pier as berth2 from boats;
    create view v_left as select b.id as boat, p.id as pier, p.name, p.depth + 1 as deeper from boats b left join piers p on p.id = b.pier;
    create view v_deep as select boat, name from v_left;
    create view v_right as select p.name, b.id from boats b right join (piers p join shared s on true) on p.id = b.pier;
    create view v_union as select id from piers union select 1;
    create function title(boats) returns text language sql stable as 'select $1.id::text';
    create function crew_of(b boats) returns setof piers rows 1 language sql stable as 'select * from piers';
    create function many(n int) returns setof piers language sql as 'select * from piers';
    create function neighbours(boats) returns setof boats language sql stable as 'select * from boats';
    create function bare() returns int language sql as 'select 1';
    create function bare(text default '') returns text language sql as 'select $1';
    create function apart(boats, int) returns int language sql as 'select 1';
    create function body(jsonb) returns jsonb language sql as 'select $1';
    create function bytes(bytea) returns int language sql as 'select 1';
    create function over(a int) returns int language sql as 'select 1';
    create function over(a text) returns int language sql as 'select 1';
    create function over(a int, b text) returns int language sql as 'select 1';
    create function outs(a int, out x int, out y text) language sql as $$select 1, ''$$;
    create function out_first(out x int, a int, out y text, b text default '') language sql as $$select 1, ''$$;
    create function unnamed_out(out text) language sql as $$select ''$$;
    create function unnamed_outs(out int, out y text, inout b int) language sql as $$select 1, '', b$$;
    create function numbers() returns setof int rows 1 language sql as 'select 1';"#;

#[tokio::test]
async fn views_and_functions_are_told_as_the_cli_tells_them() {
    let database = TestDatabase::platform().await;
    let mut transaction = cloch_sql::transaction::begin(database.superuser()).await.unwrap();
    sqlx::raw_sql(DOCKS).execute(&mut *transaction).await.unwrap();
    let source = typescript(&mut transaction, &["docks".to_owned()]).await.unwrap();
    let link = |name: &str, columns: &str, single: bool, relation: &str, referenced: &str| {
        format!(
            "          {{\n            foreignKeyName: \"{name}\"\n            columns: [\"{columns}\"]\n            isOneToOne: {single}\n            \
             referencedRelation: \"{relation}\"\n            referencedColumns: [\"{referenced}\"]\n          }},\n"
        )
    };
    let of_boats = [
        link("boats_lead_fkey", "lead", false, "boats", "id"),
        link("boats_lead_fkey", "lead", false, "v_boats", "id"),
        link("boats_lead_fkey", "lead", false, "v_deep", "boat"),
        link("boats_lead_fkey", "lead", false, "v_left", "boat"),
        link("boats_lead_fkey", "lead", false, "v_right", "id"),
        link("boats_pier_fkey", "pier", false, "piers", "id"),
        link("boats_pier_fkey", "pier", false, "v_left", "pier"),
        link("boats_twin_fkey", "twin", true, "piers", "id"),
        link("boats_twin_fkey", "twin", true, "v_left", "pier"),
    ];
    let of_view = [
        link("boats_pier_fkey", "berth", false, "piers", "id"),
        link("boats_pier_fkey", "berth2", false, "piers", "id"),
        link("boats_pier_fkey", "berth", false, "v_left", "pier"),
        link("boats_pier_fkey", "berth2", false, "v_left", "pier"),
    ];
    let refused = "{ error: true } & \"the function docks.title with parameter or with a single unnamed json/jsonb parameter, but no \
                   matches were found in the schema cache\"";
    let alike = "{ error: true } & \"Could not choose the best candidate function between: docks.over(a => int4), docks.over(a => text). \
                 Try renaming the parameters or the function itself in the database so function overloading can be resolved\"";
    let pier = "{ depth: number | null; id: number; name: string; plan: NonNullable<Json> }";
    for expected in [
        format!("        Relationships: [\n{}        ]\n", of_boats.concat()),
        "plan: NonNullable<Json>\n        }\n        ComputedFields: never\n".to_owned(),
        format!("          crew_of: {pier} | null\n          neighbours: {{ id: number; lead: number | null; pier: number | null; twin: number | null }} | null\n          title: string | null\n        }}\n        ComputedFields: \"crew_of\" | \"neighbours\" | \"title\"\n"),
        "plain: Database[\"docks\"][\"Tables\"][\"piers\"][\"Row\"] | null\n          plans: Json[]\n".to_owned(),
        "      shared_1: {\n".to_owned(),
        "      v_deep: {\n        Row: {\n          boat: number\n          name: string | null\n        }\n".to_owned(),
        "      v_left: {\n        Row: {\n          boat: number\n          deeper: number | null\n          name: string | null\n          \
         pier: number | null\n        }\n".to_owned(),
        "      v_right: {\n        Row: {\n          id: number | null\n          name: string\n        }\n".to_owned(),
        "      v_union: {\n        Row: {\n          id: number | null\n        }\n".to_owned(),
        "          id?: number | null\n".to_owned(),
        format!("title: {{ Args: {{ \"\": Database[\"docks\"][\"Tables\"][\"boats\"][\"Row\"] }}; Returns: {refused} }}\n"),
        format!(
            "crew_of: {{ Args: {{ b: Omit<Database[\"docks\"][\"Tables\"][\"boats\"][\"Row\"], \
             Database[\"docks\"][\"Tables\"][\"boats\"][\"ComputedFields\"]> }}; Returns: {pier}; \
             SetofOptions: {{ from: \"docks.boats\"; to: \"piers\"; isOneToOne: true; isSetofReturn: true }} }}\n"
        ),
        format!("many: {{ Args: {{ n: number }}; Returns: {pier}[]; SetofOptions: {{ from: \"*\"; to: \"piers\"; isOneToOne: false; "),
        "body: { Args: { \"\": Json }; Returns: Json }\n".to_owned(),
        "out_first: { Args: { a: number; b?: string }; Returns: Record<string, unknown> }\n".to_owned(),
        "unnamed_out: { Args: Record<PropertyKey, never>; Returns: string }\n".to_owned(),
        "unnamed_outs: { Args: { b: number }; Returns: Record<string, unknown> }\n".to_owned(),
        format!(
            "neighbours: {{ Args: {{ \"\": Database[\"docks\"][\"Tables\"][\"boats\"][\"Row\"] }}; Returns: {}; SetofOptions: ",
            refused.replace("docks.title", "docks.neighbours")
        ),
        "bare:\n        | { Args: Record<PropertyKey, never>; Returns: { error: true } & \"Could not choose the best candidate function \
         between: docks.bare(), docks.bare( => text). "
            .to_owned(),
        format!(
            "over:\n        | {{ Args: {{ a: number }}; Returns: {alike} }}\n        | {{ Args: {{ a: number; b: string }}; Returns: number }}\n        \
             | {{ Args: {{ a: string }}; Returns: {alike} }}\n"
        ),
        "outs: { Args: { a: number }; Returns: Record<string, unknown> }\n".to_owned(),
        "numbers: { Args: Record<PropertyKey, never>; Returns: number[] }\n".to_owned(),
        "Extract<keyof Schemas, \"docks\">".to_owned(),
        of_view.concat(),
    ] {
        assert!(source.contains(&expected), "{expected} is missing in:\n{source}");
    }
    for absent in ["apart", "bytes"] {
        assert!(!source.contains(absent), "{absent} is in:\n{source}");
    }
}
