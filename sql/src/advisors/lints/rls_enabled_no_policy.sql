select schema, name, 'table' as type,
       format('Table %s has row-level security and no policy: callers have privileges on it, and find nothing.', sql_name) as detail,
       format('create policy "nobody yet" on %s for all to anon, authenticated using (false);', sql_name) as fix, '{}'::jsonb as extra
  from relation r
 where kind in ('r', 'p') and has_rls and is_granted and not exists (select from pg_policy p where p.polrelid = r.oid)
