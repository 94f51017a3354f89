-- Triggers of the relations in schema $1, as one JSON array of at most $2 elements. The arguments of the triggers are left out, because they often
-- contain a key.
select coalesce(json_agg(f), '[]') from (
  select t.oid::bigint as oid, t.tgname as name, c.relname as table, t.tgenabled <> 'D' as enabled,
         case when t.tgtype & 2 <> 0 then 'before' when t.tgtype & 64 <> 0 then 'instead of' else 'after' end as timing,
         array_remove(array[
           case when t.tgtype & 4 <> 0 then 'insert' end, case when t.tgtype & 16 <> 0 then 'update' end,
           case when t.tgtype & 8 <> 0 then 'delete' end, case when t.tgtype & 32 <> 0 then 'truncate' end], null) as events,
         t.tgtype & 1 <> 0 as each_row, n.nspname as function_schema, p.proname as function
  from pg_trigger t
  join pg_class c on c.oid = t.tgrelid
  join pg_proc p on p.oid = t.tgfoid
  join pg_namespace n on n.oid = p.pronamespace
  where c.relnamespace = (select oid from pg_namespace where nspname = $1) and not t.tgisinternal and t.tgparentid = 0
  order by c.relname, t.tgname limit $2
) f
