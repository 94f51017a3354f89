-- What the other platform files lean on.
--
-- The platform is applied by a superuser (embedded cluster) or by the login of
-- a managed PostgreSQL that has CREATEROLE and owns the database, no more. A
-- statement that only a superuser may run goes through cloch.attempt(): where it
-- is refused the start goes on, and cloch.notices says what is missing.
create schema if not exists cloch;
revoke all on schema cloch from public;

-- What this database lacks or what something else stands in for; the server
-- prints it at start.
create table if not exists cloch.notices (
  subject  text primary key,
  detail   text not null,
  noted_at timestamptz not null default now()
);
