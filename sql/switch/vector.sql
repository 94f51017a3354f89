-- Replaces Cloch's substitute for pgvector by the extension, in the same schema. The objects of both have the same names, so those of the substitute
-- are first moved to schema cloch_stand_in. Columns, functions and indexes of the project that use its types are converted to the types of the
-- extension. Declared numbers of dimensions are kept, in the form in which the type of the substitute shows them.
create schema cloch_stand_in;
do $$
declare
  vector oid := cloch.stand_in_vector_type();
  target text := coalesce((select n.nspname from pg_catalog.pg_type as t join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
                            where t.oid = vector), 'extensions');
  types oid[];
  stood_in constant text := '\ycloch_stand_in\.';
  target_prefix constant text := replace(quote_ident(target), '\', '\\') || '.';
  default_grantees constant text := coalesce((
    select string_agg(distinct ', ' || quote_ident(pg_catalog.pg_get_userbyid(a.grantee)), '')
      from pg_catalog.pg_default_acl, aclexplode(defaclacl) as a where defaclobjtype = 'f' and a.grantee <> 0), '');
  object record;
  signature text;
  definition text;
  statements text[] := '{}';
  refused text;
begin
  -- The name of the schema becomes a part of the statements below, also inside quoted texts. It is checked here because the owner of the schema can
  -- rename it.
  if target !~ '^[a-z_][a-z0-9_]*$' then
    raise exception 'schema % has characters other than a to z, 0 to 9 and _', quote_ident(target);
  end if;
  if vector is not null then
    perform cloch.move_stand_in_vector('cloch_stand_in');
  end if;
  execute format('create extension vector with schema %I', target);
  types := array(select unnest(array[oid, typarray]) from pg_catalog.pg_type
                  where typnamespace = 'cloch_stand_in'::regnamespace and typname in ('vector', 'halfvec', 'sparsevec'));

  -- This script runs as superuser. While PostgreSQL parses an expression, it reads the constants in it. For a constant of a composite type or a
  -- range, this evaluates the constraints of the domains that the type contains. Therefore expressions that are parsed again must not contain
  -- constants of the project's types.
  select string_agg(e.description, ', ' order by e.description) into refused
    from (
      select pg_catalog.pg_describe_object('pg_catalog.pg_proc'::regclass, p.oid, 0) as description, concat(p.prosqlbody, p.proargdefaults) as tree
        from pg_catalog.pg_proc as p
       where types && p.proargtypes::oid[] or types && p.proallargtypes or p.prorettype = any (types)
      union all
      select pg_catalog.pg_describe_object('pg_catalog.pg_class'::regclass, i.indexrelid, 0), concat(i.indexprs, i.indpred)
        from pg_catalog.pg_index as i
       where exists (select from pg_catalog.pg_attribute as a where a.attrelid = i.indrelid and a.atttypid = any (types))
      union all
      select pg_catalog.pg_describe_object('pg_catalog.pg_attrdef'::regclass, d.oid, 0), d.adbin::text
        from pg_catalog.pg_attrdef as d join pg_catalog.pg_attribute as a on (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
       where a.atttypid = any (types)
      union all
      select pg_catalog.pg_describe_object('pg_catalog.pg_statistic_ext'::regclass, s.oid, 0), s.stxexprs::text
        from pg_catalog.pg_statistic_ext as s
       where exists (select from pg_catalog.pg_attribute as a where a.attrelid = s.stxrelid and a.atttypid = any (types))
    ) as e
   where exists (
     select from regexp_matches(e.tree, '{CONST :consttype (\d+) [^{}]*:constisnull false', 'g') as m
       join pg_catalog.pg_type as t on t.oid = m[1]::oid
       left join pg_catalog.pg_type as element on element.oid = t.typelem and t.typcategory = 'A'
       join pg_catalog.pg_roles as r on r.oid = t.typowner
      where not r.rolsuper and coalesce(element.typtype, t.typtype) <> 'e');
  if refused is not null then
    raise exception '% uses constants of types of the project', refused;
  end if;

  -- Drops the project's functions that use the old types, because the types of columns cannot be changed while they exist. The functions are created
  -- again at the end, with the same owner and privileges.
  for object in
    select p.oid, p.oid::regprocedure as signature, pg_catalog.pg_get_functiondef(p.oid) as definition, p.proowner, p.proacl
      from pg_catalog.pg_proc as p
     where p.pronamespace <> 'cloch_stand_in'::regnamespace and p.prokind in ('f', 'p')
       and (types && p.proargtypes::oid[] or types && p.proallargtypes or p.prorettype = any (types))
  loop
    signature := regexp_replace(object.signature::text, stood_in, target_prefix, 'g');
    statements := statements || regexp_replace(object.definition, stood_in, target_prefix, 'g');
    statements := statements || format('alter routine %s owner to %I', signature, pg_catalog.pg_get_userbyid(object.proowner));
    -- The default privileges of the schema grant privileges on the new function. These are revoked, because the project may have revoked them for the
    -- old function.
    statements := statements || format('revoke all on routine %s from public%s', signature, default_grantees);
    select statements || array_agg(format('grant execute on routine %s to %s', signature,
             case a.grantee when 0 then 'public' else quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end))
      into statements
      from aclexplode(coalesce(object.proacl, acldefault('f', object.proowner))) as a;
    execute format('drop routine %s', object.signature);
  end loop;

  -- Indexes with expressions are dropped and created again too, because the type of their columns cannot be changed while an index calls the old
  -- functions.
  for object in
    select i.indexrelid::regclass as index, pg_catalog.pg_get_indexdef(i.indexrelid) as definition
      from pg_catalog.pg_index as i
     where (i.indexprs is not null or i.indpred is not null)
       and exists (select from pg_catalog.pg_depend as d join cloch.stand_in_vector_objects() as o on (d.refclassid, d.refobjid) = (o.classid, o.objid)
                    where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.indexrelid)
       and not exists (select from pg_catalog.pg_inherits where inhrelid = i.indexrelid)
  loop
    -- The index of a partitioned table is created again together with the indexes of its partitions.
    statements := statements || regexp_replace(replace(object.definition, ' ON ONLY ', ' ON '), stood_in, target_prefix, 'g');
    execute format('drop index %s', object.index);
  end loop;

  -- This script runs as superuser. When the type of a column changes, PostgreSQL evaluates the check constraints of the table. Therefore these
  -- constraints may use only objects of PostgreSQL and of superusers.
  select string_agg(distinct format('constraint %I of %s', k.conname, k.conrelid::regclass), ', ') into refused
    from pg_catalog.pg_constraint as k
    join pg_catalog.pg_depend as d on d.classid = 'pg_catalog.pg_constraint'::regclass and d.objid = k.oid and d.refobjid >= 16384
   where k.contype = 'c' and (d.refclassid, d.refobjid) <> ('pg_catalog.pg_class'::regclass, k.conrelid)
     and exists (select from pg_catalog.pg_attribute as a where a.attrelid = k.conrelid and a.atttypid = any (types) and not a.attisdropped)
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
     where a.atttypid = any (types) and c.relkind in ('r', 'p') and not a.attisdropped and a.attinhcount = 0
  loop
    if object.default_value is not null then
      execute format('alter table %s alter column %I drop default', object.relation, object.attname);
    end if;
    execute format('alter table %s alter column %I type %s using %2$I::text::%3$s',
      object.relation, object.attname, regexp_replace(object.type, stood_in, target_prefix));
    if object.default_value is not null then
      execute format('alter table %s alter column %I set default %s',
        object.relation, object.attname, regexp_replace(object.default_value, stood_in, target_prefix, 'g'));
    end if;
  end loop;
  foreach definition in array statements loop
    execute definition;
  end loop;
end;
$$;
