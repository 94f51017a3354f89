-- What each role in $2 may do with the relations of schema $1, as one JSON array. For each role and command, the array contains the
-- privilege and the policies that PostgreSQL applies. A view has no policies of its own: PostgreSQL applies the policies of the view's
-- tables. If the view has security_invoker, these are the policies for the caller; otherwise those for the view's owner. The relations are
-- sorted by name. $3 is the maximum number of relations.
with roles as (
  select r.oid, r.rolname, r.rolsuper or r.rolbypassrls as bypasses
    from pg_roles as r where r.rolname = any ($2::text[])
), relations as (
  select c.oid, n.oid as schema, c.relname, c.relkind, c.relowner, c.relrowsecurity, c.relforcerowsecurity,
         case when exists (select from pg_options_to_table(c.reloptions)
                            where option_name = 'security_invoker' and option_value::boolean) then 'invoker'
              when c.relkind in ('v', 'm') then 'owner' end as reads_as
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
   where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f')
   order by c.relname limit $3
), commands (command, code) as (
  values ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd')
), cells as (
  select t.oid, t.reads_as, r.rolname, c.command,
         has_schema_privilege(r.oid, t.schema, 'usage') and has_table_privilege(r.oid, t.oid, c.command) as whole,
         c.command <> 'DELETE' and has_schema_privilege(r.oid, t.schema, 'usage')
           and has_any_column_privilege(r.oid, t.oid, case c.command when 'DELETE' then 'SELECT' else c.command end) as part,
         t.relrowsecurity and not r.bypasses
           and (t.relforcerowsecurity or not pg_has_role(r.oid, t.relowner, 'usage')) as guarded,
         p.permissive, p.names
    from relations as t cross join roles as r cross join commands as c
    cross join lateral (
      select count(*) filter (where p.polpermissive) as permissive,
             coalesce(json_agg(p.polname order by p.polname), '[]') as names
        from pg_policy as p
       where p.polrelid = t.oid and p.polcmd in ('*', c.code::"char")
         and (0 = any (p.polroles) or exists (
               select from unnest(p.polroles) as role where role <> 0 and pg_has_role(r.oid, role, 'usage')))
    ) as p
), matrix as (
  select oid, json_object_agg(rolname, commands) as matrix from (
    select oid, rolname, json_object_agg(command, json_build_object(
             'access', case when not part and not whole then 'none' when reads_as is not null then reads_as
                            when not guarded then 'all' when permissive = 0 then 'never' else 'policies' end,
             'grant', case when whole then 'table' when part then 'columns' else 'none' end,
             'policies', case when guarded and (part or whole) then names else '[]' end)) as commands
      from cells group by oid, rolname) as of_roles
   group by oid
)
select coalesce(json_agg(json_build_object(
         'schema', $1, 'name', t.relname,
         'kind', case t.relkind when 'v' then 'view' when 'm' then 'materialized' when 'f' then 'foreign'
                                when 'p' then 'partitioned' else 'table' end,
         'owner', pg_get_userbyid(t.relowner), 'rls', t.relrowsecurity, 'forced', t.relforcerowsecurity,
         'policies', (
           select coalesce(json_agg(json_build_object(
                    'name', p.polname, 'permissive', p.polpermissive,
                    'command', case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE'
                                             when 'd' then 'DELETE' else 'ALL' end,
                    'roles', array(select case role when 0 then 'public' else pg_get_userbyid(role)::text end
                                     from unnest(p.polroles) as role),
                    'using', pg_get_expr(p.polqual, p.polrelid),
                    'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname), '[]')
             from pg_policy as p where p.polrelid = t.oid),
         'matrix', m.matrix) order by t.relname), '[]')
  from relations as t left join matrix as m on m.oid = t.oid
