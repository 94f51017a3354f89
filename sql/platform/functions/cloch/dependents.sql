-- Returns a description of at most five objects that are outside of a schema and depend on objects in it, separated by commas; null if none
-- were found. Cloch's substitute for an extension is not replaced by the real extension if objects of the project depend on the substitute.
-- Only Cloch's own login may call the function.
create or replace function cloch.dependents(schema_name text) returns text
language sql stable set search_path = 'pg_catalog' as $$
  with member (classid, objid) as (
    select 'pg_class'::regclass, oid from pg_class where relnamespace = to_regnamespace(schema_name)
    union all select 'pg_proc'::regclass, oid from pg_proc where pronamespace = to_regnamespace(schema_name)
    union all select 'pg_type'::regclass, oid from pg_type where typnamespace = to_regnamespace(schema_name)
    union all select 'pg_operator'::regclass, oid from pg_operator where oprnamespace = to_regnamespace(schema_name)
  ), dependent as (
    select distinct d.classid, d.objid, d.objsubid,
           case d.classid
             when 'pg_class'::regclass then (select relnamespace from pg_class where oid = d.objid)
             when 'pg_proc'::regclass then (select pronamespace from pg_proc where oid = d.objid)
             when 'pg_type'::regclass then (select typnamespace from pg_type where oid = d.objid)
             when 'pg_operator'::regclass then (select oprnamespace from pg_operator where oid = d.objid)
             when 'pg_rewrite'::regclass then (select relnamespace from pg_class join pg_rewrite as r on r.ev_class = pg_class.oid where r.oid = d.objid)
             when 'pg_trigger'::regclass then (select relnamespace from pg_class join pg_trigger as t on t.tgrelid = pg_class.oid where t.oid = d.objid)
             when 'pg_policy'::regclass then (select relnamespace from pg_class join pg_policy as p on p.polrelid = pg_class.oid where p.oid = d.objid)
             when 'pg_attrdef'::regclass then (select relnamespace from pg_class join pg_attrdef as a on a.adrelid = pg_class.oid where a.oid = d.objid)
             when 'pg_constraint'::regclass then (select connamespace from pg_constraint where oid = d.objid)
           end as namespace
      from pg_depend as d join member as m on (d.refclassid, d.refobjid) = (m.classid, m.objid)
     where d.deptype = 'n'
  )
  select string_agg(description, ', ' order by description)
    from (select pg_describe_object(classid, objid, objsubid) as description from dependent
           where namespace is distinct from to_regnamespace(schema_name) and namespace is not null
           order by 1 limit 5) as d
$$;
revoke all on function cloch.dependents(text) from public;
