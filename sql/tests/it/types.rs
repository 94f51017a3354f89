//! The TypeScript type of a schema, beside the schema.

use cloch_sql::testing::TestDatabase;
use cloch_sql::types::typescript;

#[tokio::test]
async fn every_kind_of_thing_has_its_form() {
    let database = TestDatabase::platform().await;
    let mut connection = database.database().admin().acquire().await.unwrap();
    sqlx::raw_sql(
        "create type mood as enum ('calm', 'a \"rough\" sea');
         create type point2 as (x int, y int);
         create domain email as text check (value like '%@%');
         create table piers (id bigint generated always as identity primary key, name text not null);
         create table boats (
             id uuid primary key default gen_random_uuid(), pier bigint not null unique references piers,
             mood mood, moods mood[], \"sea trials\" jsonb, contact email not null, berth point2,
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
        "length?: never\n",
        "pier: number\n",
        "id?: string\n",
        "isOneToOne: true\n",
        "referencedRelation: \"piers\"\n",
        "sail: { Args: { boat: string; knots?: number }; Returns: Database[\"public\"][\"Tables\"][\"boats\"][\"Row\"][] }",
        "tides: { Args: never; Returns: { high: string; metres: number }[] }",
        "point2: {\n        x: number | null\n",
        "calm_boats: {\n        Row: {\n          id: string | null\n",
    ] {
        assert!(source.contains(expected), "{expected} is missing in:\n{source}");
    }
}
