set local role supabase_functions_admin;

-- Trigger function of supabase_functions.hooks: marks the request of a webhook as the project's own. The URL of a webhook is an
-- argument of its trigger, so the project chose it, and the worker of the net stand-in may send the request to any address. Without the
-- stand-in nothing is marked.
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
