-- Makes schema cloch, which contains Cloch's own tables and functions, and table cloch.notices. Later files grant USAGE on the schema
-- to single roles.
--
-- The platform SQL is applied by a superuser (embedded PostgreSQL) or by the login of CLOCH_DB_URL, which needs CREATEROLE and
-- ownership of the database only. A statement that may require a superuser is passed to cloch.attempt(): if PostgreSQL refuses the
-- statement, the start continues, and the effect on the project is recorded in cloch.notices.

create schema if not exists cloch;
revoke all on schema cloch from public;

-- Features that this database lacks or that a stand-in provides. The server prints the rows at each start.
create table if not exists cloch.notices (
  subject  text primary key,
  detail   text not null,
  noted_at timestamptz not null default now()
);
