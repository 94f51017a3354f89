-- The same for the rows of a network's hour. The login of the table REST calls these; callers may not.
create or replace function cloch.lease_visitor_rows(network text, at_least int, at_most int, allowed int, out granted int, out wait_seconds int)
language sql security definer set search_path = '' as $$
  select leased.granted, ceil(extract(epoch from leased.wait))::int
    from cloch.lease_amount('rest/rows/network/' || network, at_least, at_most, allowed, interval '1 hour') as leased
$$;
revoke all on function cloch.lease_visitor_rows(text, int, int, int) from public;
grant execute on function cloch.lease_visitor_rows(text, int, int, int) to authenticator;
