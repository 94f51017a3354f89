-- Undoes cloch.count_upload for a file that was not stored. The arguments are the same. Callable by authenticator; runs with the owner's
-- rights.
create or replace function cloch.return_upload(network text, kib int, files_allowed int, kib_allowed int)
returns void
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
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
