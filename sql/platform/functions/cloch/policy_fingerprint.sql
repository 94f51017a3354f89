-- Returns a text that changes whenever the policies of the tables `relations` may have changed, or one of the functions auth.uid(),
-- auth.role(), auth.email() and auth.jwt(). Results of cloch.policy_claims are cached as long as the text is the same. Callable by
-- authenticator.
create or replace function cloch.policy_fingerprint(relations oid[]) returns text
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select md5(concat_ws(';',
    (select string_agg(concat_ws(' ', c.oid, c.relrowsecurity, p.oid, p.xmin), ',' order by c.oid, p.oid)
       from pg_catalog.pg_class as c left join pg_catalog.pg_policy as p on p.polrelid = c.oid
      where c.oid = any (relations)),
    (select string_agg(concat_ws(' ', p.oid, p.xmin), ',' order by p.oid) from pg_catalog.pg_proc as p
      where p.proname in ('uid', 'role', 'email', 'jwt') and p.pronamespace = to_regnamespace('auth'))));
$$;
revoke execute on function cloch.policy_fingerprint(oid[]) from public;
grant execute on function cloch.policy_fingerprint(oid[]) to authenticator;
