-- Moves Cloch's substitute for pgvector to another schema by changing the catalog directly. Therefore event triggers of the project do not
-- fire. If the schema already has an object with one of the names, PostgreSQL's unique indexes refuse the change.
create or replace function cloch.move_stand_in_vector(target text) returns void
language plpgsql set search_path = 'pg_catalog' as $$
declare
  schema oid := quote_ident(target)::regnamespace;
  catalogs oid[];
  objects oid[];
begin
  select array_agg(o.classid), array_agg(o.objid) into catalogs, objects from cloch.stand_in_vector_objects() as o;
  update pg_depend as d set refobjid = schema from unnest(catalogs, objects) as o (classid, objid)
   where (d.classid, d.objid, d.refclassid) = (o.classid, o.objid, 'pg_namespace'::regclass);
  update pg_type as t set typnamespace = schema from unnest(catalogs, objects) as o (classid, objid)
   where o.classid = 'pg_type'::regclass and (t.oid = o.objid or t.typelem = o.objid and t.typcategory = 'A');
  update pg_proc as p set pronamespace = schema from unnest(catalogs, objects) as o (classid, objid)
   where o.classid = 'pg_proc'::regclass and p.oid = o.objid;
  update pg_operator as p set oprnamespace = schema from unnest(catalogs, objects) as o (classid, objid)
   where o.classid = 'pg_operator'::regclass and p.oid = o.objid;
  update pg_opclass as c set opcnamespace = schema from unnest(catalogs, objects) as o (classid, objid)
   where o.classid = 'pg_opclass'::regclass and c.oid = o.objid;
  update pg_opfamily as f set opfnamespace = schema from unnest(catalogs, objects) as o (classid, objid)
   where o.classid = 'pg_opfamily'::regclass and f.oid = o.objid;
end;
$$;
revoke all on function cloch.move_stand_in_vector(text) from public;
