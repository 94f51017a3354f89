-- Notes an upload in parts in the statement that begins it, or refuses it. Without
-- a network, or where zero allows any number, nothing is noted. Returns the id.
create or replace function cloch.begin_upload(id uuid, network text, allowed int) returns uuid
language plpgsql set search_path = '' as $$
begin
  if network is null or allowed < 1 then
    return id;
  end if;
  -- One after the other, so that each sees those before it.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('cloch.begin_upload/' || network, 0));
  perform cloch.forget_ended_uploads(network);
  if (select count(*) from cloch.begun_uploads as begun where begun.network = begin_upload.network) >= allowed then
    -- Nobody knows when one of them ends: after a minute it is worth a try.
    perform cloch.refuse_upload(interval '1 minute');
  end if;
  insert into cloch.begun_uploads values (begin_upload.id, begin_upload.network);
  return id;
end;
$$;
revoke execute on function cloch.begin_upload(uuid, text, int) from public;
