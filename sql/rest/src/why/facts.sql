-- Returns the facts that decide whether role $3 may access the relation with schema $1 and name $2, as one JSON object. Returns no row if the
-- relation does not exist.
select json_build_object(
  'role_exists', r.oid is not null,
  'bypasses', coalesce(r.rolsuper or r.rolbypassrls, false),
  'owns', r.oid is not null and pg_has_role(r.oid, c.relowner, 'usage'),
  'owner', pg_get_userbyid(c.relowner),
  'kind', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end,
  'runs_as_caller', exists (select from pg_options_to_table(c.reloptions) where option_name = 'security_invoker' and option_value::boolean),
  'rls', c.relrowsecurity,
  'forced', c.relforcerowsecurity,
  'schema_usage', r.oid is not null and has_schema_privilege(r.oid, n.oid, 'usage'),
  'privileges', array(select p from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
                       where r.oid is not null and has_table_privilege(r.oid, c.oid, p)),
  'columns', (
    select coalesce(json_agg(json_build_object(
             'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'default', pg_get_expr(d.adbin, d.adrelid),
             'is_computed', a.attgenerated <> '' or a.attidentity <> '',
             'privileges', array(select p from unnest(array['SELECT', 'INSERT', 'UPDATE']) p
                                  where r.oid is not null and has_column_privilege(r.oid, c.oid, a.attnum, p))) order by a.attnum), '[]')
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
  'policies', (
    select coalesce(json_agg(json_build_object(
             'name', p.polname, 'is_permissive', p.polpermissive,
             'command', case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE' end,
             'roles', array(select case role when 0 then 'public' else pg_get_userbyid(role)::text end from unnest(p.polroles) role),
             'applies', 0 = any (p.polroles)
                        or exists (select from unnest(p.polroles) role where r.oid is not null and role <> 0 and pg_has_role(r.oid, role, 'usage')),
             'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname), '[]')
      from pg_policy p where p.polrelid = c.oid),
  'triggers', array(select t.tgname::text from pg_trigger t
                     where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D' and (t.tgtype & 3) = 3 order by t.tgname)
)::text
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
left join pg_roles r on r.rolname = $3
where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')
