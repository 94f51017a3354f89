-- Refuses a visitor's file (SQLSTATE CLLIM, see cloch.refuse_upload) if it would now exceed the upload quota of the visitor's network.
-- Counts nothing. `kib` is the size of the file in KiB. `files_allowed` and `kib_allowed` are the limits within an hour, in files and in
-- KiB; 0 for no limit. Callable by authenticator; runs with the owner's rights, because callers have no rights on cloch.rate_limits.
create or replace function cloch.check_upload(network text, kib int, files_allowed int, kib_allowed int)
returns void
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  hour constant interval := '1 hour';
begin
  if files_allowed > 0 then
    perform cloch.refuse_upload(cloch.wait_for_amount('storage/files/' || network, 1, files_allowed, hour));
  end if;
  if kib_allowed > 0 then
    perform cloch.refuse_upload(cloch.wait_for_amount('storage/kib/' || network, kib, kib_allowed, hour));
  end if;
end;
$$;
revoke execute on function cloch.check_upload(text, int, int, int) from public;
grant execute on function cloch.check_upload(text, int, int, int) to authenticator;
