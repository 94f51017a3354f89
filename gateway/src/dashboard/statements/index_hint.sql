-- Returns the columns of an index that would make a scan faster. The first columns are those that are compared with one value, the column
-- with the most different values first. The columns of the sort follow.
--
-- Returns no row if the table is a partition or does not belong to the project's owner. Also returns no row if a valid index already begins
-- with one of the first columns, because that index did not help the plan.
--
-- $1, $2: schema and table. $3, $4: the compared columns, and whether each is converted to text. $5, $6: the columns of the sort, and their
-- directions.
with /* cloch */ scanned as (
  select c.oid, n.nspname, c.relname,
         case when c.reltuples >= 0 then c.reltuples::float8 else coalesce(s.n_live_tup, 0)::float8 end as rows,
         case when c.reltuples >= 0 then 'pg_class.reltuples' else 'pg_stat_all_tables.n_live_tup' end as rows_from
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    left join pg_stat_all_tables as s on s.relid = c.oid
   where n.nspname = $1 and c.relname = $2 and c.relkind = 'r' and c.relpersistence <> 't' and not c.relispartition
     and pg_has_role(c.relowner, 'usage')
), compared as (
  select a.attnum, a.attname, row_number() over (
           order by case when s.n_distinct < 0 then -s.n_distinct * t.rows else coalesce(s.n_distinct, 0) end desc, a.attnum) as place
    from scanned as t
   cross join unnest($3::text[], $4::boolean[]) as given (name, is_text)
    join pg_attribute as a on a.attrelid = t.oid and a.attname = given.name and a.attnum > 0 and not a.attisdropped
    left join pg_stats as s
      on s.schemaname = t.nspname and s.tablename = t.relname and s.attname = a.attname and not s.inherited
   where not given.is_text or a.atttypid = 'pg_catalog.varchar'::regtype
), searched as (
  select attnum, attname, place from compared where place <= 3
), sorted as (
  select a.attnum, a.attname, given.place, given.direction
    from scanned as t
   cross join unnest($5::text[], $6::text[]) with ordinality as given (name, direction, place)
    join pg_attribute as a on a.attrelid = t.oid and a.attname = given.name and a.attnum > 0 and not a.attisdropped
   where not exists (select from searched where searched.attnum = a.attnum)
), key as (
  select attnum, attname, quote_ident(attname) as definition, 0 as part, place from searched
  union all
  select attnum, attname, quote_ident(attname) || direction, 1, place from sorted
), first as (
  select attnum from searched
  union all
  select attnum from sorted where place = (select min(place) from sorted) and not exists (select from searched)
)
select format('%I.%I', t.nspname, t.relname) as relation, t.rows, t.rows_from,
       array(select attname::text from searched order by place) as searched,
       array(select attname::text from sorted order by place) as sorted,
       format('create index concurrently on %I.%I (%s);', t.nspname, t.relname,
              (select string_agg(definition, ', ' order by part, place) from key)) as sql
  from scanned as t
 where exists (select from first)
   and not exists (
     select from pg_index as i
       join pg_class as c on c.oid = i.indexrelid
       join pg_am as m on m.oid = c.relam
      where i.indrelid = t.oid and i.indisvalid and i.indpred is null and m.amname in ('btree', 'hash')
        and i.indkey[0] in (select attnum from first))
