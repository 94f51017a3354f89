-- Makes the stand-in for pgvector part of extension vector after `create extension`: the objects move to the extension's schema, or are made
-- there. As with pgvector, the objects then follow `alter extension … set schema`, are dropped with the extension, and are not part of dumps.
create or replace function cloch.place_stand_in_vector() returns void
language plpgsql set search_path = 'pg_catalog' as $$
declare
  extension oid;
  creator oid;
  target text;
  present oid := cloch.stand_in_vector_type();
begin
  select e.oid, e.extowner, n.nspname into extension, creator, target
    from pg_extension as e join pg_namespace as n on n.oid = e.extnamespace where e.extname = 'vector' and e.extversion = 'stand-in';
  if extension is null or exists (select from pg_depend where objid = present and refobjid = extension and deptype = 'e') then
    return;
  elsif not has_schema_privilege(creator, quote_ident(target)::regnamespace, 'create') then
    raise exception 'permission denied for schema %', target using errcode = '42501';
  elsif target ~ '^pg_' or target in ('information_schema', 'cloch') then
    raise exception 'extension vector cannot be created in schema %', target using errcode = '42501';
  end if;
  if present is null then
    if exists (select from pg_type where typnamespace = quote_ident(target)::regnamespace and typname in ('vector', 'halfvec', 'sparsevec')) then
      raise exception 'type vector, halfvec or sparsevec exists in schema %', target using errcode = '42710';
    elsif to_regprocedure(format('%I.hamming_distance(bit,bit)', target)) is not null
       or to_regprocedure(format('%I.jaccard_distance(bit,bit)', target)) is not null then
      raise exception 'function hamming_distance or jaccard_distance exists in schema %', target using errcode = '42723';
    end if;
    perform cloch.make_stand_in_vector(target);
  elsif (select typnamespace from pg_type where oid = present) <> quote_ident(target)::regnamespace then
    perform cloch.move_stand_in_vector(target);
  end if;
  insert into pg_depend (classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype)
  select o.classid, o.objid, 0, 'pg_extension'::regclass, extension, 0, 'e' from cloch.stand_in_vector_objects() as o;
end;
$$;
revoke all on function cloch.place_stand_in_vector() from public;
