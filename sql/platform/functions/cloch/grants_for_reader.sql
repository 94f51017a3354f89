-- Returns a GRANT statement for each right that supabase_read_only_user, the login of read-only SQL, lacks. `relation` is the table's OID,
-- null for a schema. `may_lock` is true for relations that LOCK TABLE accepts.
--
-- In schema auth, rights are granted on columns, without the secret ones (cloch.is_secret_column). The queue of Cloch's substitute for
-- pg_net is excluded, because request headers contain keys. Only Cloch's own login may call the function.
create or replace function cloch.grants_for_reader()
returns table (relation oid, may_lock boolean, statement text)
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select null::oid, false, format('grant usage on schema %I to supabase_read_only_user', nspname)
    from pg_catalog.pg_namespace
   where not cloch.is_closed_to_reader(nspname) and not pg_catalog.has_schema_privilege('supabase_read_only_user', oid, 'usage')
  union all
  select c.oid, c.relkind in ('r', 'p'), format('grant select on %I.%I to supabase_read_only_user', nspname, relname)
    from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = relnamespace
   where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relpersistence <> 't'
     and not cloch.is_closed_to_reader(nspname) and (nspname <> 'auth' or relkind = 'S')
     and (nspname, relname) <> ('net', 'http_request_queue')
     and not pg_catalog.has_table_privilege('supabase_read_only_user', c.oid, 'select')
  union all
  select c.oid, c.relkind in ('r', 'p'),
         format('grant select (%s) on auth.%I to supabase_read_only_user', string_agg(quote_ident(attname), ', ' order by attnum), relname)
    from pg_catalog.pg_class as c join pg_catalog.pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
   where relnamespace = pg_catalog.to_regnamespace('auth') and relkind in ('r', 'p', 'v', 'm', 'f')
     and not cloch.is_secret_column(relname, attname)
     and not pg_catalog.has_column_privilege('supabase_read_only_user', c.oid, attnum, 'select')
   group by c.oid, relname, relkind
$$;
revoke execute on function cloch.grants_for_reader() from public;
