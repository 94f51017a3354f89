set local role supabase_functions_admin;

-- A webhook's URL is an argument of its trigger, and so the project's: net's worker
-- may send it to any address.
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
