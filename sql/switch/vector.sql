-- Replaces the stand-in for pgvector by the extension. The stand-in's type moves to schema cloch_stand_in, since the extension's type
-- has the same name. Columns and functions of the project that use the type are converted to the extension's type.
create schema cloch_stand_in;
do $$
declare
  old regtype := 'extensions.vector'::regtype;
  object record;
  definition text;
  statements text[] := '{}';
  refused text;
begin
  -- Functions of the superuser in schema extensions that use the type and belong to no extension are the stand-in's own.
  for object in
    select p.oid::regprocedure as signature, p.oid
      from pg_catalog.pg_proc as p
     where p.pronamespace = 'extensions'::regnamespace
       and not exists (select from pg_catalog.pg_depend where objid = p.oid and deptype = 'e')
       and (old = any (p.proargtypes::oid[]) or p.prorettype = old)
       and p.proowner = (select typowner from pg_catalog.pg_type where oid = old)
  loop
    execute format('alter function %s set schema cloch_stand_in', object.signature);
  end loop;
  alter function extensions.vector_typmod_in(cstring[]) set schema cloch_stand_in;
  alter function extensions.vector_typmod_out(integer) set schema cloch_stand_in;
  for object in
    select o.oprname, o.oprleft::regtype as lefttype, o.oprright::regtype as righttype
      from pg_catalog.pg_operator as o where o.oprnamespace = 'extensions'::regnamespace and o.oprleft = old
  loop
    execute format('alter operator extensions.%s (%s, %s) set schema cloch_stand_in', object.oprname, object.lefttype, object.righttype);
  end loop;
  alter type extensions.vector set schema cloch_stand_in;
  create extension vector with schema extensions;

  -- Drops the project's functions that use the old type, because otherwise the types of columns cannot be changed. They are created
  -- again at the end, with owner and rights.
  for object in
    select p.oid, p.oid::regprocedure as signature, p.prokind, pg_catalog.pg_get_functiondef(p.oid) as definition,
           pg_catalog.pg_get_userbyid(p.proowner) as owner, p.proacl
      from pg_catalog.pg_proc as p
     where p.pronamespace <> 'cloch_stand_in'::regnamespace and p.prokind in ('f', 'p')
       and (old = any (p.proargtypes::oid[]) or old = any (p.proallargtypes) or p.prorettype = old)
  loop
    definition := replace(object.definition, 'cloch_stand_in.vector', 'extensions.vector');
    statements := statements || definition;
    statements := statements || format('alter routine %s owner to %I',
      replace(object.signature::text, 'cloch_stand_in.vector', 'extensions.vector'), object.owner);
    if object.proacl is not null then
      statements := statements || format('revoke all on routine %s from public',
        replace(object.signature::text, 'cloch_stand_in.vector', 'extensions.vector'));
      select statements || array_agg(format('grant execute on routine %s to %s',
               replace(object.signature::text, 'cloch_stand_in.vector', 'extensions.vector'),
               case a.grantee when 0 then 'public' else quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end))
        into statements
        from aclexplode(object.proacl) as a;
    end if;
    execute format('drop routine %s', object.signature);
  end loop;

  -- This script runs as superuser. A change of a column's type evaluates the check constraints of its table, so they may use objects of
  -- PostgreSQL and of superusers only.
  select string_agg(distinct format('constraint %I of %s', k.conname, k.conrelid::regclass), ', ') into refused
    from pg_catalog.pg_constraint as k
    join pg_catalog.pg_depend as d on d.classid = 'pg_catalog.pg_constraint'::regclass and d.objid = k.oid and d.refobjid >= 16384
   where k.contype = 'c' and (d.refclassid, d.refobjid) <> ('pg_catalog.pg_class'::regclass, k.conrelid)
     and exists (select from pg_catalog.pg_attribute as a where a.attrelid = k.conrelid and a.atttypid = old and not a.attisdropped)
     and not coalesce((
       select r.rolsuper from pg_catalog.pg_roles as r
        where r.oid = case d.refclassid
          when 'pg_catalog.pg_proc'::regclass then (select proowner from pg_catalog.pg_proc where oid = d.refobjid)
          when 'pg_catalog.pg_operator'::regclass then (select oprowner from pg_catalog.pg_operator where oid = d.refobjid)
          when 'pg_catalog.pg_type'::regclass then (select typowner from pg_catalog.pg_type where oid = d.refobjid)
        end), false);
  if refused is not null then
    raise exception '% uses functions, operators or types of the project', refused;
  end if;

  for object in
    select c.oid::regclass as relation, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
           pg_catalog.pg_get_expr(d.adbin, d.adrelid) as default_value
      from pg_catalog.pg_attribute as a
      join pg_catalog.pg_class as c on c.oid = a.attrelid
      left join pg_catalog.pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.atttypid = old and c.relkind in ('r', 'p') and not a.attisdropped and not c.relispartition
  loop
    if object.default_value is not null then
      execute format('alter table %s alter column %I drop default', object.relation, object.attname);
    end if;
    execute format('alter table %s alter column %I type %s using %I::text::extensions.vector',
      object.relation, object.attname, replace(object.type, 'cloch_stand_in.', 'extensions.'), object.attname);
    if object.default_value is not null then
      execute format('alter table %s alter column %I set default %s',
        object.relation, object.attname, replace(object.default_value, 'cloch_stand_in.', 'extensions.'));
    end if;
  end loop;
  foreach definition in array statements loop
    execute definition;
  end loop;
end;
$$;
