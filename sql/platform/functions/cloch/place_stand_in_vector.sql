-- Moves Cloch's substitute for pgvector to the schema in which `create extension vector` puts the extension. The types and functions stay
-- the same objects, so columns and functions of the project that use them are unchanged. If the substitute was dropped together with its
-- schema, it is created again.
--
-- If the project's owner also owns the substitute (as with a superuser's login on an operator's own server), the substitute stays in its
-- schema. In a schema of the project, its functions could not be distinguished from those of the project.
create or replace function cloch.place_stand_in_vector(target name) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  present record;
  conflict text;
begin
  select n.nspname as schema, pg_get_userbyid(t.typowner) as owner into present
    from pg_catalog.pg_type as t join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
   where t.oid = cloch.stand_in_vector_type();
  if present.schema = target or present.owner = cloch.project_owner()
     or present.schema is null and not exists (select from cloch.stand_ins where extension = 'vector') then
    return;
  end if;
  if target ~ '^pg_' or target = 'information_schema' or not has_schema_privilege(cloch.project_owner(), target, 'create') then
    raise warning 'the types of extension vector are not in schema %, because role % may not create objects there',
      quote_ident(target), cloch.project_owner();
    return;
  end if;
  begin
    if present.schema is null then
      perform cloch.make_stand_in_vector(target);
    else
      perform cloch.move_stand_in_vector(target);
    end if;
  exception when unique_violation then
    get stacked diagnostics conflict = pg_exception_detail;
    raise exception 'schema % has an object with the name of one of extension vector', quote_ident(target)
      using errcode = 'duplicate_object', detail = conflict;
  end;
end;
$$;
revoke all on function cloch.place_stand_in_vector(name) from public;
