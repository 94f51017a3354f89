-- Counts rows that visitors of a network write through the table REST, in the transaction that writes them, or refuses them with an
-- error in the form of the table REST: status 429, code PGRST192, Retry-After. `allowed` is the limit of rows within an hour. A
-- rollback undoes the count. Callable by authenticator, but not by the roles of callers; runs with the owner's rights. The table REST
-- of this version leases rows instead (cloch.lease_visitor_rows).
create or replace function cloch.take_visitor_rows(network text, rows int, allowed int)
returns void
language plpgsql security definer set search_path = '' as $$
declare
  wait interval;
begin
  if rows > 0 then
    wait := cloch.take_amount('rest/rows/network/' || network, rows, allowed, interval '1 hour');
  end if;
  if wait > interval '0' then
    raise sqlstate 'PGRST' using
      message = json_build_object(
        'code', 'PGRST192',
        'message', 'Too many rows were written from this network',
        'details', format('Visitors of one network may write %s rows an hour.', allowed),
        'hint', 'Try again later, or sign in.')::text,
      detail = json_build_object(
        'status', 429,
        'headers', json_build_object('Retry-After', ceil(extract(epoch from wait))::text))::text;
  end if;
end;
$$;
revoke all on function cloch.take_visitor_rows(text, int, int) from public;
grant execute on function cloch.take_visitor_rows(text, int, int) to authenticator;
