-- Relations of the exposed schemas ($1) with their columns, one JSON object per row. Partitions are left out, because requests use the partitioned
-- table.
with recursive domains as (
  select t.oid as domain, t.typbasetype as base from pg_type t where t.typtype = 'd'
  union all
  select d.domain, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
),
bases as (
  select d.domain, d.base, b.typnamespace as schema from domains d join pg_type b on b.oid = d.base where b.typtype <> 'd'
),
enums as (
  select enumtypid as type, json_agg(enumlabel order by enumsortorder) as labels from pg_enum group by enumtypid
),
described_columns as (
  select
    a.attrelid,
    json_agg(json_build_object(
      'name', a.attname,
      'description', comment.description,
      'nullable', not (a.attnotnull or (t.typtype = 'd' and t.typnotnull)),
      -- As in PostgREST: a built-in type is named without its modifier (`varchar(3)` is `character varying`), a domain over a built-in type is
      -- named as this type, and any other type is named with its modifier.
      'data_type', case
        when t.typtype = 'd' and b.schema = 'pg_catalog'::regnamespace then format_type(b.base, null)
        when t.typtype <> 'd' and t.typnamespace = 'pg_catalog'::regnamespace then format_type(a.atttypid, null)
        else format_type(a.atttypid, a.atttypmod)
      end,
      -- The type as which values of a JSON body are read. For the types of Cloch's substitute for pgvector, PostgreSQL's input function for text
      -- ignores the modifier. Therefore the modifier is left out for these types, and the value is then cast to the type of the column, which checks
      -- the number of dimensions.
      'nominal_type', format_type(a.atttypid, case when input.prosrc = 'textin' then null else a.atttypmod end),
      'type_oid', a.atttypid::int8,
      'max_length', case
        when t.typtype = 'd' and t.typbasetype in (1042, 1043) and t.typtypmod <> -1 then t.typtypmod - 4
        when t.typtype = 'd' and t.typbasetype in (1560, 1562) and t.typtypmod <> -1 then t.typtypmod
        when t.typtype <> 'd' and a.atttypid in (1042, 1043) and a.atttypmod <> -1 then a.atttypmod - 4
        when t.typtype <> 'd' and a.atttypid in (1560, 1562) and a.atttypmod <> -1 then a.atttypmod
      end,
      'default', case
        when t.typtype = 'd' and def.adbin is null then pg_get_expr(t.typdefaultbin, 0)
        when a.attidentity = 'd' then format('nextval(%L)', sequence.objid::regclass)
        when a.attgenerated = 's' then null
        else pg_get_expr(def.adbin, def.adrelid)
      end,
      'enum_labels', coalesce(e.labels, '[]')
    ) order by a.attnum) as columns
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_type t on t.oid = a.atttypid
  left join pg_type element on element.oid = t.typelem and t.typcategory = 'A'
  join pg_proc input on input.oid = coalesce(element.typinput, t.typinput)
  left join bases b on b.domain = t.oid
  left join enums e on e.type = coalesce(b.base, t.oid)
  left join pg_attrdef def on def.adrelid = a.attrelid and def.adnum = a.attnum
  left join pg_description comment on comment.classoid = 'pg_class'::regclass and comment.objoid = a.attrelid
    and comment.objsubid = a.attnum
  left join pg_depend sequence on sequence.classid = 'pg_class'::regclass and sequence.refclassid = 'pg_class'::regclass
    and sequence.refobjid = a.attrelid and sequence.refobjsubid = a.attnum and sequence.deptype = 'i'
    and a.attidentity <> ''
  where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p') and a.attnum > 0 and not a.attisdropped
  group by a.attrelid
),
primary_keys as (
  select k.conrelid, json_agg(a.attname order by a.attname) as columns
  from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
  where k.contype = 'p'
  group by k.conrelid
),
-- Views of the exposed schemas, and for each view all relations that it reads. The view itself is included.
reads as (
  select c.oid as view, c.oid as relation
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = any ($1::text[]) and c.relkind = 'v'
  union
  select r.view, d.refobjid
  from reads r join pg_rewrite w on w.ev_class = r.relation
  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
),
-- Views that may return only some of the rows of their tables: views with conditions, and views of tables with row-level security.
selective as (
  select distinct r.view
  from reads r join pg_class c on c.oid = r.relation
  where c.relrowsecurity or (c.relkind = 'v' and pg_get_viewdef(c.oid) ~* '\m(where|join|having|limit|offset|intersect|except)\M')
),
writable as (
  -- pg_relation_is_updatable returns bits: 4 update, 8 insert, 16 delete.
  select c.oid, case when c.relkind in ('r', 'p') then 28
    when c.relkind in ('v', 'f') then pg_relation_is_updatable(c.oid::regclass, true) else 0 end as bits
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p')
)
select json_build_object(
  'oid', c.oid::int8,
  'schema', n.nspname,
  'name', c.relname,
  'description', obj_description(c.oid, 'pg_class'),
  'is_view', c.relkind in ('v', 'm'),
  'may_hide_rows', c.relrowsecurity or c.oid in (select view from selective),
  'insertable', w.bits & 8 = 8,
  'updatable', w.bits & 4 = 4,
  'deletable', w.bits & 16 = 16,
  'primary_key', coalesce(k.columns, '[]'),
  'columns', coalesce(d.columns, '[]'),
  'visible_to', (
    select coalesce(json_agg(r.rolname), '[]') from pg_roles r
    where r.rolname = any ($2::text[]) and (
      has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')
      or has_any_column_privilege(r.oid, c.oid, 'select, insert, update'))
  )
)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join writable w on w.oid = c.oid
left join described_columns d on d.attrelid = c.oid
left join primary_keys k on k.conrelid = c.oid
where not c.relispartition
order by n.nspname, c.relname
