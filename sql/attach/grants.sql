-- Returns all objects outside schema cloch and the grants on them, as one JSON value. The value is read before and after the platform SQL runs. The
-- differences show which privileges the platform SQL granted on objects that existed before, to roles that existed before or to PUBLIC.
with objects as (
  select 'schema' as kind, n.oid::text as id, format('schema %I', nspname) as target,
         coalesce(nspacl, acldefault('n', nspowner)) as acl
    from pg_catalog.pg_namespace as n where nspname !~ '^pg_(toast|temp)' and nspname not in ('information_schema', 'cloch')
  union all
  select 'relation', c.oid::text, format('%s %I.%I', case relkind when 'S' then 'sequence' else 'table' end, nspname, relname),
         coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
    from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = relnamespace
   where relkind in ('r', 'v', 'm', 'p', 'S', 'f') and nspname !~ '^pg_' and nspname not in ('information_schema', 'cloch')
  union all
  select 'routine', p.oid::text, format('routine %s', p.oid::regprocedure), coalesce(proacl, acldefault('f', proowner))
    from pg_catalog.pg_proc as p join pg_catalog.pg_namespace as n on n.oid = pronamespace
   where nspname !~ '^pg_' and nspname not in ('information_schema', 'cloch')
  union all
  select 'type', t.oid::text, format('type %I.%I', nspname, typname), coalesce(typacl, acldefault('T', typowner))
    from pg_catalog.pg_type as t join pg_catalog.pg_namespace as n on n.oid = typnamespace
   where typtype in ('e', 'd', 'b') and typelem = 0 and nspname !~ '^pg_' and nspname not in ('information_schema', 'cloch')
  union all
  select 'database', oid::text, format('database %I', datname), coalesce(datacl, acldefault('d', datdba))
    from pg_catalog.pg_database where datname = current_database()
), defaults as (
  -- Default privileges: what a role grants on new objects in a schema.
  select defaclrole::text as role, defaclnamespace::text as namespace, defaclacl as acl,
         format('alter default privileges for role %I in schema %I revoke', pg_get_userbyid(defaclrole), nspname) as statement,
         case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'routines' when 'T' then 'types' end as kind
    from pg_catalog.pg_default_acl join pg_catalog.pg_namespace as n on n.oid = defaclnamespace
   where defaclobjtype in ('r', 'S', 'f', 'T') and nspname <> 'cloch'
), grants as (
  -- PUBLIC has the OID 0.
  select array[kind || ' ' || id, 'role ' || g.grantee] as needs, 'revoke' as verb, target, g.* from objects, aclexplode(acl) as g
  union all
  select array['role ' || role, 'schema ' || namespace, 'role ' || g.grantee], statement, kind, g.* from defaults, aclexplode(acl) as g
)
select jsonb_build_object(
         'objects', (select jsonb_object_agg(kind || ' ' || id, true) from objects)
                    || (select jsonb_object_agg('role ' || oid, true) from (select oid from pg_catalog.pg_roles union all select 0) as roles),
         'grants', (select jsonb_object_agg(statement || ' granted by ' || grantor,
                                            jsonb_build_object('statement', statement, 'grantor', grantor, 'needs', needs)) from (
            select format('%s %s%s on %s from %s', verb, option, privilege_type, target,
                          case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end) as statement,
                   quote_ident(pg_get_userbyid(grantor)) as grantor, needs
              from grants, unnest(array['', 'grant option for ']) as option where option = '' or is_grantable) as listed))::text
