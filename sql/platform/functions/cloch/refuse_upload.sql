-- What visitors (callers without a session) of one network may upload: files and
-- kibibytes in an hour, and uploads in parts that are begun and not finished.
-- Nothing is counted but what is stored: a count stands or falls with its row.

-- Refuses an upload for so long. The server knows the state, and reads the
-- seconds from the detail.
create or replace function cloch.refuse_upload(wait interval) returns void
language plpgsql set search_path = '' as $$
begin
  if wait > interval '0' then
    raise sqlstate 'CLLIM' using
      message = 'this network has uploaded too much', detail = ceil(extract(epoch from wait))::bigint::text;
  end if;
end;
$$;
revoke execute on function cloch.refuse_upload(interval) from public;
