-- A visitor's file is counted before its row is written, in a short transaction of its own. Counted in the transaction of the row, the
-- network's count stayed locked until that was on disk, so that all visitors behind one address stored one file after the other.

-- Takes back what cloch.count_upload has counted for a file that was not stored.
create or replace function cloch.return_upload(network text, kib int, files_allowed int, kib_allowed int)
returns void
language plpgsql security definer set search_path = '' as $$
begin
  if files_allowed > 0 then
    perform cloch.return_amount('storage/files/' || network, 1);
  end if;
  if kib_allowed > 0 then
    perform cloch.return_amount('storage/kib/' || network, kib);
  end if;
end;
$$;
revoke all on function cloch.return_upload(text, int, int, int) from public;
grant execute on function cloch.return_upload(text, int, int, int) to authenticator;
