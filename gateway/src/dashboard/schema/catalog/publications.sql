-- Publications with the tables that they name, as one JSON array of at most $2 elements. $1 is not used.
select coalesce(json_agg(f), '[]') from (
  select p.pubname as name, pg_get_userbyid(p.pubowner) as owner, p.puballtables as whole,
         array_remove(array[
           case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
           case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end], null) as events,
         coalesce((select json_agg(json_build_object('schema', n.nspname, 'table', c.relname) order by n.nspname, c.relname)
                   from pg_publication_rel r join pg_class c on c.oid = r.prrelid join pg_namespace n on n.oid = c.relnamespace
                   where r.prpubid = p.oid), '[]') as tables,
         coalesce((select json_agg(n.nspname order by n.nspname)
                   from pg_publication_namespace s join pg_namespace n on n.oid = s.pnnspid where s.pnpubid = p.oid), '[]') as schemas
  from pg_publication p
  order by p.pubname limit $2
) f
