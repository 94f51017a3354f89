-- Roles of the cluster, as one JSON array of at most $2 elements. PostgreSQL's predefined roles are left out. $1 is not used. `platform` is true for
-- superusers and for roles of Supabase's image and of Cloch. Operators cannot change these roles in the dashboard.
select coalesce(json_agg(f), '[]') from (
  select r.rolname as name, r.rolsuper as superuser, r.rolcanlogin as login, r.rolinherit as inherit, r.rolcreatedb as createdb,
         r.rolcreaterole as createrole, r.rolreplication as replication, r.rolbypassrls as bypassrls,
         coalesce((select json_agg(distinct g.rolname order by g.rolname)
                   from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid), '[]') as member_of,
         coalesce((select json_agg(distinct g.rolname order by g.rolname)
                   from pg_auth_members m join pg_roles g on g.oid = m.member where m.roleid = r.oid), '[]') as members,
         r.rolsuper or r.rolname ~ '^(supabase_|pgsodium_|cloch)' or r.rolname in (
           'postgres', 'anon', 'authenticated', 'service_role', 'authenticator', 'dashboard_user', 'pgbouncer') as platform
  from pg_roles r
  where r.rolname !~ '^pg_'
  order by platform, r.rolname limit $2
) f
