-- Common table expressions that all lints use: the project's own schemas, relations, policies and functions. $1: the schemas that the REST API
-- exposes.
with project_schema as (
  select n.oid, n.nspname::text as schema, n.nspname::text = any ($1::text[]) as is_exposed
    from pg_namespace n
   where n.nspname !~ '^pg_'
     and n.nspname <> all (array[
       'information_schema', 'auth', 'storage', 'realtime', '_realtime', 'extensions', 'cloch', 'graphql', 'graphql_public', 'vault', 'cron',
       'net', 'pgmq', 'pgmq_public', 'pgbouncer', 'pgsodium', 'pgsodium_masks', 'supabase_functions', 'supabase_migrations', 'tiger',
       'tiger_data', 'topology', 'repack', 'dbdev', '_analytics', '_supavisor', 'etl'])
     and not exists (select from pg_depend d where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e')
), caller_role as (
  select oid, rolname::text as role from pg_roles where rolname in ('anon', 'authenticated')
), relation as (
  select c.oid, s.schema, c.relname::text as name, c.relkind as kind, c.relrowsecurity as has_rls, c.relispartition as is_partition,
         c.reltuples as rows, s.is_exposed, format('%I.%I', s.schema, c.relname) as sql_name,
         case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end as type,
         exists (select from pg_options_to_table(c.reloptions) where option_name = 'security_invoker' and option_value::boolean) as is_invoker,
         exists (select from caller_role r
                  where r.role = 'anon' and has_schema_privilege(r.oid, s.oid, 'usage')
                    and has_any_column_privilege(r.oid, c.oid, 'select')) as anon_reads,
         exists (select from caller_role r
                  where r.role = 'authenticated' and has_schema_privilege(r.oid, s.oid, 'usage')
                    and has_any_column_privilege(r.oid, c.oid, 'select')) as authenticated_reads,
         exists (select from caller_role r
                  where has_schema_privilege(r.oid, s.oid, 'usage')
                    and (has_any_column_privilege(r.oid, c.oid, 'select, insert, update')
                         or has_table_privilege(r.oid, c.oid, 'delete'))) as is_granted
    from pg_class c
    join project_schema s on s.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'f')
     and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
), guarded as (
  -- Tables to which the project can add policies: the project's own tables, and some tables of the platform.
  select oid, schema, name, sql_name, has_rls from relation where kind in ('r', 'p')
  union all
  select c.oid, n.nspname::text, c.relname::text, format('%I.%I', n.nspname, c.relname), c.relrowsecurity
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where (n.nspname, c.relname) in (('storage', 'objects'), ('storage', 'buckets'), ('realtime', 'messages'))
), policy as (
  select p.oid, g.oid as table_oid, g.schema, g.name as table_name, g.sql_name, g.has_rls, p.polname::text as name, p.polcmd as command,
         p.polpermissive as is_permissive, p.polroles as roles,
         pg_get_expr(p.polqual, p.polrelid) as using_text, pg_get_expr(p.polwithcheck, p.polrelid) as check_text
    from pg_policy p join guarded g on g.oid = p.polrelid
), routine as (
  select p.oid, s.schema, p.proname::text as name, s.is_exposed, p.prosecdef as is_definer, p.proconfig, p.prosqlbody is not null as is_parsed,
         p.prorettype, l.lanname::text as language, p.oid::regprocedure::text as sql_name,
         pg_get_function_identity_arguments(p.oid) as arguments, s.oid as schema_oid
    from pg_proc p
    join project_schema s on s.oid = p.pronamespace
    join pg_language l on l.oid = p.prolang
   where p.prokind in ('f', 'p', 'w')
     and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     -- Functions of Cloch's substitute for pgvector are left out, as those of extensions are. They are recognised by their schema and their
     -- owner, which are those of the substitute's type vector.
     and (p.pronamespace, p.proowner) not in (
       select v.typnamespace, v.typowner from pg_type v join pg_proc i on i.oid = v.typinput where v.typname = 'vector' and i.prosrc = 'textin')
)
