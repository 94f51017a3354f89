-- Rows that visitors write through the table REST are counted for each network, in
-- the transaction that writes them: what is rolled back counts nothing.

-- Counts `rows` of a network's hour, or refuses in the form that the table REST
-- answers with. The login of the table REST calls it, before or after it is the
-- caller; callers themselves may not.
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
