, asked as (
  select p.*, c.letter, c.statement, r.role
    from policy p
    join (values ('r'::"char", 'SELECT'), ('a', 'INSERT'), ('w', 'UPDATE'), ('d', 'DELETE')) as c (letter, statement)
      on p.command in (c.letter, '*')
    cross join lateral (
      select rolname::text as role from pg_roles where oid = any (p.roles)
      union
      select c.role from caller_role c where 0 = any (p.roles)) r
   where p.is_permissive and p.schema not in ('storage', 'realtime')
), crowded as (
  select table_oid, schema, table_name, sql_name, statement, role, array_agg(name order by name) as names, array_agg(oid order by name) as oids
    from asked
   group by table_oid, schema, table_name, sql_name, statement, role
  having count(*) > 1
)
select schema, table_name as name, 'table' as type,
       format('Table %s has %s permissive policies for %s of %s: %s. All of them are evaluated for each row.', sql_name, cardinality(names),
              statement, string_agg(role, ', ' order by role), (select string_agg(quote_ident(n), ', ') from unnest(names) n)) as detail,
       (select case when count(distinct (p.command, p.roles::text)) = 1 then
                 format('alter policy %I on %s', names[1], crowded.sql_name)
                 || coalesce(' using (' || string_agg('(' || p.using_text || ')', ' or ' order by p.name) || ')', '')
                 || case when bool_or(p.check_text is not null) then
                      format(' with check (%s)', string_agg('(' || coalesce(p.check_text, p.using_text) || ')', ' or ' order by p.name))
                    else '' end
                 || string_agg(case when p.name = names[1] then '' else format('; drop policy %I on %s', p.name, crowded.sql_name) end, '') || ';'
               end
          from policy p where p.oid = any (crowded.oids)) as fix,
       jsonb_build_object('command', statement, 'roles', jsonb_agg(role order by role), 'policies', to_jsonb(names)) as extra
  from crowded
 group by schema, table_name, sql_name, statement, names, oids
