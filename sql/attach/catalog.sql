-- Lists what a database contains outside schema cloch. Each row is one fact: an object with its definition, a grant or a setting. The list is read
-- before and after the platform SQL runs. The differences show what the platform SQL added, and whether it removed or changed anything.
with spaces as (
  select oid, nspname, nspowner, nspacl from pg_catalog.pg_namespace
   where nspname !~ '^pg_' and nspname not in ('information_schema', 'cloch')
), relations as (
  select c.*, format('%I.%I', n.nspname, c.relname) as name from pg_catalog.pg_class as c
    join spaces as n on n.oid = c.relnamespace
   -- Daily partitions of realtime.messages are left out, because they may be created and dropped between the two lists.
   where not (n.nspname = 'realtime' and c.relname ~ '^messages_\d{4}_\d{2}_\d{2}')
), routines as (
  select p.*, p.oid::regprocedure::text as name from pg_catalog.pg_proc as p join spaces as n on n.oid = p.pronamespace
   -- The function net._queue of Cloch's substitute for pg_net is left out, because the platform SQL may replace it.
   where not (n.nspname = 'net' and p.proname = '_queue')
), grants as (
  select 'schema ' || nspname as subject, coalesce(nspacl, acldefault('n', nspowner)) as acl from spaces
  union all select 'relation ' || name, coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
    from relations where relkind in ('r', 'v', 'm', 'p', 'S', 'f')
  union all select 'function ' || name, coalesce(proacl, acldefault('f', proowner)) from routines
  union all select format('new objects of kind %s of %s in %s', defaclobjtype, pg_get_userbyid(defaclrole), n.nspname), defaclacl
    from pg_catalog.pg_default_acl as d left join pg_catalog.pg_namespace as n on n.oid = d.defaclnamespace
)
select fact from (
  select format('role %s superuser=%s createrole=%s createdb=%s login=%s replication=%s bypassrls=%s', rolname, rolsuper,
                rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls) as fact
    from pg_catalog.pg_roles where rolname !~ '^pg_'
  union select format('member %s of %s%s', pg_get_userbyid(member), pg_get_userbyid(roleid), case when admin_option then ' with admin option' end)
    from pg_catalog.pg_auth_members
  union select format('setting of role %s: %s', pg_get_userbyid(setrole), setting)
    from pg_catalog.pg_db_role_setting, unnest(setconfig) as setting where setrole <> 0
  union select format('schema %I owner %s', nspname, pg_get_userbyid(nspowner)) from spaces
  union select format('relation %s kind %s owner %s', name, relkind, pg_get_userbyid(relowner)) from relations where relkind <> 'c'
  union select format('row security of %s: %s, forced: %s', name, relrowsecurity, relforcerowsecurity) from relations where relkind in ('r', 'p')
  union select format('storage of %s: %s, replica identity %s', name, reloptions, relreplident) from relations where relkind in ('r', 'p', 'v', 'm')
  union select format('view %s: %s', name, md5(pg_get_viewdef(oid))) from relations where relkind in ('v', 'm')
  union select format('column %s.%I %s%s%s%s', r.name, a.attname, format_type(a.atttypid, a.atttypmod), ' collation ' || nullif(a.attcollation, t.typcollation)::regcollation,
                      case when a.attnotnull then ' not null' end, ' default ' || pg_get_expr(d.adbin, d.adrelid))
    from relations as r join pg_catalog.pg_attribute as a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
     and r.relkind not in ('i', 'I', 'S')
    join pg_catalog.pg_type as t on t.oid = a.atttypid
    left join pg_catalog.pg_attrdef as d on d.adrelid = r.oid and d.adnum = a.attnum
  union select format('constraint %I on %s: %s', c.conname, r.name, pg_get_constraintdef(c.oid))
    from pg_catalog.pg_constraint as c join relations as r on r.oid = c.conrelid
  union select format('index %s', pg_get_indexdef(r.oid)) from relations as r where relkind in ('i', 'I')
  union select format('function %s owner %s %s', name, pg_get_userbyid(proowner), case prokind when 'a' then ''
                      else md5(pg_get_functiondef(oid)) end) from routines
  union select format('type %s owner %s%s', t.oid::regtype, pg_get_userbyid(typowner),
                      case typtype when 'b' then ' base' when 'd' then ' domain' end)
    from pg_catalog.pg_type as t join spaces as n on n.oid = t.typnamespace where typtype in ('e', 'b', 'd') and typelem = 0
  union select format('label %s of type %s', enumlabel, enumtypid::regtype) from pg_catalog.pg_enum
  union select format('trigger %I on %s (%s): %s', t.tgname, r.name, t.tgenabled, pg_get_triggerdef(t.oid))
    from pg_catalog.pg_trigger as t join relations as r on r.oid = t.tgrelid where not t.tgisinternal
  union select format('policy %I on %I.%I: %s %s %s %s %s', policyname, schemaname, tablename, permissive, roles, cmd, qual, with_check)
    from pg_catalog.pg_policies
  union select format('event trigger %s owner %s (%s): %s %s %s', evtname, pg_get_userbyid(evtowner), evtenabled, evtevent, evttags, evtfoid::regprocedure)
    from pg_catalog.pg_event_trigger
  union select format('publication %s owner %s all tables=%s insert=%s update=%s delete=%s truncate=%s via root=%s', pubname,
                      pg_get_userbyid(pubowner), puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot)
    from pg_catalog.pg_publication
  union select format('table %I.%I of publication %s', schemaname, tablename, pubname) from pg_catalog.pg_publication_tables
  union select format('extension %s %s in %s', extname, extversion, extnamespace::regnamespace) from pg_catalog.pg_extension
  union select format('comment on relation %s: %s', name, description) from pg_catalog.pg_description join relations as r on r.oid = objoid
   where classoid = 'pg_catalog.pg_class'::regclass
  union select format('comment on function %s: %s', name, description) from pg_catalog.pg_description join routines as r on r.oid = objoid
   where classoid = 'pg_catalog.pg_proc'::regclass
  union select format('comment on schema %I: %s', nspname, description) from pg_catalog.pg_description join spaces as n on n.oid = objoid
   where classoid = 'pg_catalog.pg_namespace'::regclass
  union select format('grant %s on column %s.%I to %s%s', g.privilege_type, r.name, attname,
                      case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee) end, case when g.is_grantable then ' with grant option' end)
    from pg_catalog.pg_attribute join relations as r on r.oid = attrelid, aclexplode(attacl) as g where not attisdropped
  -- A privilege and its grant option are two separate facts.
  union select format('grant %s on %s to %s%s', g.privilege_type, s.subject,
                      case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee) end, option)
    from grants as s, aclexplode(s.acl) as g, unnest(array['', ' with grant option']) as option where option = '' or g.is_grantable
) as facts
order by fact collate "C"
