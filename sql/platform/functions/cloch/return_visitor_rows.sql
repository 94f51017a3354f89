-- Subtracts rows that cloch.lease_visitor_rows counted in advance, and that visitors of the network did not write. `rows` is their number.
-- Callable by authenticator; runs with the owner's rights.
create or replace function cloch.return_visitor_rows(network text, rows int) returns void
language sql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
  select cloch.return_amount('rest/rows/network/' || network, rows)
$$;
revoke all on function cloch.return_visitor_rows(text, int) from public;
grant execute on function cloch.return_visitor_rows(text, int) to authenticator;
