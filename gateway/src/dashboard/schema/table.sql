-- Description of the relation $2 in schema $1, as one JSON object. Returns no row if the relation does not exist.
select json_build_object(
  'schema', n.nspname, 'name', c.relname, 'oid', c.oid::bigint,
  'kind', case c.relkind when 'r' then 'table' when 'p' then 'partitioned' when 'v' then 'view'
                         when 'm' then 'materialized' else 'foreign' end,
  'rls', c.relrowsecurity, 'forced', c.relforcerowsecurity,
  'rows', case when c.relkind = 'p' then coalesce((
            select sum(greatest(p.reltuples, 0)) from pg_partition_tree(c.oid) t join pg_class p on p.oid = t.relid
            where t.isleaf), 0)::bigint else c.reltuples::bigint end,
  'bytes', case when c.relkind in ('r', 'm') then pg_total_relation_size(c.oid) end,
  'comment', obj_description(c.oid, 'pg_class'),
  'definition', case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end,
  'columns', (
    select coalesce(json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
      'base', case
        when e.typtype = 'e' then 'enum' when e.typcategory = 'A' then 'array' when e.typname = 'bool' then 'boolean'
        when e.typname in ('int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'oid', 'money') then 'number'
        when e.typname in ('json', 'jsonb') then 'json' when e.typname in ('text', 'varchar', 'bpchar', 'citext', 'name') then 'text'
        when e.typname in ('date', 'time', 'timestamp', 'timestamptz', 'uuid', 'bytea') then e.typname else 'other' end,
      'nullable', not a.attnotnull, 'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
      'identity', case a.attidentity when 'a' then 'always' when 'd' then 'default' end,
      'generated', a.attgenerated <> '', 'comment', col_description(c.oid, a.attnum),
      'values', case when e.typtype = 'e' then (
        select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum l where l.enumtypid = e.oid) end,
      'enum', case when e.typtype = 'e' then (
        select json_build_object('schema', en.nspname, 'name', e.typname) from pg_namespace en where en.oid = e.typnamespace) end
    ) order by a.attnum), '[]')
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    join pg_type e on e.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ),
  'primary_key', (
    select coalesce(json_agg(a.attname order by k.place), '[]')
    from pg_index i, unnest(i.indkey::int2[]) with ordinality k (number, place)
    join pg_attribute a on a.attnum = k.number
    where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid
  ),
  -- Columns that identify a row: the columns of the primary key, or of a unique index that has no condition, no expressions and no nullable
  -- columns.
  'key', coalesce((
    select (select json_agg(a.attname order by k.place)
            from unnest(i.indkey::int2[]) with ordinality k (number, place)
            join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number where k.place <= i.indnkeyatts)
    from pg_index i
    where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
      and not exists (select from unnest(i.indkey::int2[]) k (number) join pg_attribute a
                      on a.attrelid = c.oid and a.attnum = k.number where not a.attnotnull)
    order by i.indisprimary desc, i.indnkeyatts, i.indexrelid limit 1
  ), '[]'),
  'foreign_keys', (
    select coalesce(json_agg(json_build_object('name', f.conname, 'schema', rn.nspname, 'table', r.relname,
      'columns', (select json_agg(a.attname order by o) from unnest(f.conkey) with ordinality u (k, o)
                  join pg_attribute a on a.attrelid = f.conrelid and a.attnum = u.k),
      'referenced', (select json_agg(a.attname order by o) from unnest(f.confkey) with ordinality u (k, o)
                     join pg_attribute a on a.attrelid = f.confrelid and a.attnum = u.k)) order by f.conname), '[]')
    from pg_constraint f join pg_class r on r.oid = f.confrelid join pg_namespace rn on rn.oid = r.relnamespace
    where f.conrelid = c.oid and f.contype = 'f'
  ),
  'referenced_by', (
    select coalesce(json_agg(json_build_object('name', f.conname, 'schema', rn.nspname, 'table', r.relname,
      'columns', (select json_agg(a.attname order by o) from unnest(f.conkey) with ordinality u (k, o)
                  join pg_attribute a on a.attrelid = f.conrelid and a.attnum = u.k),
      'referenced', (select json_agg(a.attname order by o) from unnest(f.confkey) with ordinality u (k, o)
                     join pg_attribute a on a.attrelid = f.confrelid and a.attnum = u.k)) order by r.relname, f.conname), '[]')
    from pg_constraint f join pg_class r on r.oid = f.conrelid join pg_namespace rn on rn.oid = r.relnamespace
    where f.confrelid = c.oid and f.contype = 'f' and f.conparentid = 0
  ),
  'indexes', (
    select coalesce(json_agg(json_build_object('name', x.relname, 'definition', pg_get_indexdef(i.indexrelid),
      'unique', i.indisunique, 'primary', i.indisprimary, 'valid', i.indisvalid,
      'bytes', pg_relation_size(i.indexrelid), 'scans', pg_stat_get_numscans(i.indexrelid)) order by x.relname), '[]')
    from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid
  ),
  'constraints', (
    select coalesce(json_agg(json_build_object('name', k.conname, 'definition', pg_get_constraintdef(k.oid, true),
      'type', case k.contype when 'p' then 'primary key' when 'u' then 'unique' when 'c' then 'check'
                             when 'f' then 'foreign key' when 'x' then 'exclusion' else 'other' end) order by k.conname), '[]')
    from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'
  ),
  'policies', (
    select coalesce(json_agg(json_build_object('name', p.polname, 'permissive', p.polpermissive,
      'command', case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE' else 'ALL' end,
      'roles', (select json_agg(case when role = 0 then 'public' else pg_get_userbyid(role) end) from unnest(p.polroles) role),
      'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname), '[]')
    from pg_policy p where p.polrelid = c.oid
  ),
  'triggers', (
    -- $3: whether the arguments of triggers are shown. The arguments of a database webhook's trigger are HTTP headers, which often contain
    -- a key.
    select coalesce(json_agg(json_build_object('name', t.tgname, 'definition', case
      when $3 or t.tgnargs = 0 then pg_get_triggerdef(t.oid, true)
      else split_part(pg_get_triggerdef(t.oid, true), ' EXECUTE FUNCTION ', 1) || ' EXECUTE FUNCTION ' || t.tgfoid::regproc || '(…)' end,
      'enabled', t.tgenabled <> 'D') order by t.tgname), '[]')
    from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
  ),
  'publications', (
    -- All publications. For each: whether it sends this table's changes, and whether it lists this table by name.
    select coalesce(json_agg(json_build_object('name', p.pubname, 'sends', p.puballtables or named or in_schema,
      'named', named, 'whole', p.puballtables or in_schema) order by p.pubname), '[]')
    from pg_publication p,
    lateral (select exists (select from pg_publication_rel r where r.prpubid = p.oid and r.prrelid = c.oid) as named,
                    exists (select from pg_publication_namespace s where s.pnpubid = p.oid and s.pnnspid = c.relnamespace) as in_schema) u
  ),
  'grants', (
    select coalesce(json_agg(json_build_object('role', g.role, 'privileges', g.privileges) order by g.role), '[]')
    from (select case when x.grantee = 0 then 'public' else pg_get_userbyid(x.grantee) end as role,
                 array_agg(x.privilege_type order by x.privilege_type) as privileges
          from aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x group by 1) g
  )
)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')
