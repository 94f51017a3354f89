-- Counts a visitor's file towards the upload quota of the network, or refuses the file (SQLSTATE CLLIM, see cloch.refuse_upload). The
-- arguments are those of cloch.check_upload.
--
-- Storage calls the function in a short transaction of its own, before it writes the object's row. If the file is not stored, storage
-- subtracts it again with cloch.return_upload. If the file were counted in the transaction of the row, the network's count would be locked
-- until the commit is on disk. Visitors behind one address could then store files only one after another. Callable by authenticator; runs
-- with the owner's rights.
create or replace function cloch.count_upload(network text, kib int, files_allowed int, kib_allowed int)
returns void
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  hour constant interval := '1 hour';
begin
  if files_allowed > 0 then
    perform cloch.refuse_upload(cloch.take_amount('storage/files/' || network, 1, files_allowed, hour));
  end if;
  if kib_allowed > 0 then
    perform cloch.refuse_upload(cloch.take_amount('storage/kib/' || network, kib, kib_allowed, hour));
  end if;
end;
$$;
revoke execute on function cloch.count_upload(text, int, int, int) from public;
grant execute on function cloch.count_upload(text, int, int, int) to authenticator;
