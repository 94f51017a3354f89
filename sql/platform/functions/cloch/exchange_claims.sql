-- Exchanges the claims of the transaction, and returns those that it had. What the server writes of its own accord it writes with its own
-- claims, as an upload does: a trigger of the project that sets owners must not take the caller for the owner.
create or replace function cloch.exchange_claims(
  claims text[] default array['', '{"role":"service_role"}', '', 'service_role']) returns text[]
language plpgsql set search_path = '' as $$
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
