-- Registers an unfinished upload of a visitor, and returns `id`. It is called by the statement that inserts the upload. If the network
-- already has `allowed` unfinished uploads, the upload is refused with SQLSTATE CLLIM (cloch.refuse_upload). Nothing is registered if
-- `network` is null (the caller has a session) or `allowed` is 0 (no limit). Only Cloch's own login may call the function.
create or replace function cloch.begin_upload(id uuid, network text, allowed int) returns uuid
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if network is null or allowed < 1 then
    return id;
  end if;
  -- New uploads of a network wait for each other, so that each count includes the uploads before it.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('cloch.begin_upload/' || network, 0));
  perform cloch.forget_ended_uploads(network);
  if (select count(*) from cloch.begun_uploads as begun where begun.network = begin_upload.network) >= allowed then
    -- It is unknown when an unfinished upload of the network will end. The client may retry after a minute.
    perform cloch.refuse_upload(interval '1 minute');
  end if;
  insert into cloch.begun_uploads values (begin_upload.id, begin_upload.network);
  return id;
end;
$$;
revoke execute on function cloch.begin_upload(uuid, text, int) from public;
