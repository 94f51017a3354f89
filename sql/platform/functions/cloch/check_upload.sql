-- Refuses a file that does not fit now. Zero allows any number.
create or replace function cloch.check_upload(network text, kib int, files_allowed int, kib_allowed int)
returns void
language plpgsql security definer set search_path = '' as $$
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
