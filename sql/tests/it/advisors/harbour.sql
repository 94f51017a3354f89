-- extension_in_public: public.hstore
-- extension_versions_outdated: extensions.citext
-- foreign_table_in_api: public.tides
-- pg_graphql_anon_table_exposed: public.piers
-- pg_graphql_authenticated_table_exposed: public.berths
create extension hstore schema public;
create extension citext schema extensions version '1.4';
create foreign data wrapper sea;
create server tides foreign data wrapper sea;
create foreign table public.tides (high timestamptz) server tides;
revoke all on public.tides from anon, authenticated;
grant insert on public.tides to authenticated;
create table public.piers (id int primary key);
create table public.berths (id int primary key);
alter table public.piers enable row level security;
alter table public.berths enable row level security;
create policy "piers" on public.piers for select using (id > 0);
create policy "berths" on public.berths for select using (id > 0);
revoke all on public.piers from authenticated;
revoke all on public.berths from anon;
-- Not every server has pg_graphql, so this row in the catalog makes the extension appear installed.
insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  values (900001, 'pg_graphql', 10, 'graphql'::regnamespace, false, '1.5.11');
