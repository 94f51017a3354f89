-- Sets the claims of the transaction and returns the previous claims. `claims` and the result are the values of four settings: request.jwt,
-- request.jwt.claims, request.jwt.claim.sub and request.jwt.claim.role. The default is the claims of service_role.
--
-- When an old version becomes current again, the row is written with the server's claims, as in an upload. A trigger of the project may set
-- the owner from the claims, and the caller must not become the owner. Callable by service_role.
create or replace function cloch.exchange_claims(
  claims text[] default array['', '{"role":"service_role"}', '', 'service_role']) returns text[]
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  names constant text[] := array['request.jwt', 'request.jwt.claims', 'request.jwt.claim.sub', 'request.jwt.claim.role'];
  former text[];
begin
  select array_agg(coalesce(current_setting(n.name, true), '') order by n.place) into former
    from unnest(names) with ordinality as n (name, place);
  perform set_config(n.name, n.value, true) from unnest(names, claims) as n (name, value);
  return former;
end;
$$;
revoke execute on function cloch.exchange_claims(text[]) from public;
grant execute on function cloch.exchange_claims(text[]) to service_role;
