-- Returns type vector of Cloch's substitute for pgvector; null if this database has no such type. A type vector over PostgreSQL's text
-- functions is the substitute's, because only a superuser can create one.
create or replace function cloch.stand_in_vector_type() returns oid
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select t.oid from pg_catalog.pg_type as t join pg_catalog.pg_proc as p on p.oid = t.typinput
   where t.typname = 'vector' and t.typtype = 'b' and p.prosrc = 'textin' and p.proname = 'vector_in'
$$;
