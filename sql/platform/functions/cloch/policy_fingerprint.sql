-- Asking what callers may see of changes, with less of PostgreSQL's time: callers share an answer when the policies cannot tell their
-- claims apart, statements stay prepared, and callers are rolled back one by one only where a policy could set something.

-- Changes whenever the policies of these tables, or what else cloch.policy_claims looks at, may have changed.
create or replace function cloch.policy_fingerprint(relations oid[]) returns text
language sql stable set search_path = '' as $$
  select md5(concat_ws(';',
    (select string_agg(concat_ws(' ', c.oid, c.relrowsecurity, p.oid, p.xmin), ',' order by c.oid, p.oid)
       from pg_catalog.pg_class as c left join pg_catalog.pg_policy as p on p.polrelid = c.oid
      where c.oid = any (relations)),
    (select string_agg(concat_ws(' ', p.oid, p.xmin), ',' order by p.oid) from pg_catalog.pg_proc as p
      where p.proname in ('uid', 'role', 'email', 'jwt') and p.pronamespace = to_regnamespace('auth'))));
$$;
revoke execute on function cloch.policy_fingerprint(oid[]) from public;
grant execute on function cloch.policy_fingerprint(oid[]) to authenticator;
