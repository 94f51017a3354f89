set local role supabase_functions_admin;

-- Trigger function of supabase_functions.hooks: marks the request of a webhook as the project's own. The project chose the URL, because it
-- is an argument of the webhook's trigger. Therefore the worker of Cloch's substitute for pg_net may send the request to any address. If
-- the real pg_net is used, nothing is marked.
create or replace function supabase_functions.note_webhook() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if to_regprocedure('net._url_is_the_projects(bigint)') is not null then
    perform net._url_is_the_projects(new.request_id);
  end if;
  return null;
end;
$$;
revoke all on function supabase_functions.note_webhook() from public;

reset role;
