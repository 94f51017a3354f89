-- Counts in advance rows that visitors of a network may write through the table REST, up to the limit `allowed` within an hour. The
-- arguments and the result are those of cloch.lease_amount, except that the time to wait is in seconds. Callable by authenticator, the
-- login of the table REST, but not by the roles of callers. Runs with the owner's rights.
create or replace function cloch.lease_visitor_rows(network text, at_least int, at_most int, allowed int, out granted int, out wait_seconds int)
language sql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
  select leased.granted, ceil(extract(epoch from leased.wait))::int
    from cloch.lease_amount('rest/rows/network/' || network, at_least, at_most, allowed, interval '1 hour') as leased
$$;
revoke all on function cloch.lease_visitor_rows(text, int, int, int) from public;
grant execute on function cloch.lease_visitor_rows(text, int, int, int) to authenticator;
