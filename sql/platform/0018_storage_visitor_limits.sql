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

-- Counts a file in the transaction that shows it, or refuses it.
create or replace function cloch.count_upload(network text, kib int, files_allowed int, kib_allowed int)
returns void
language plpgsql security definer set search_path = '' as $$
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

revoke execute on function
  cloch.refuse_upload(interval),
  cloch.check_upload(text, int, int, int), cloch.count_upload(text, int, int, int)
  from public;
grant execute on function cloch.check_upload(text, int, int, int), cloch.count_upload(text, int, int, int)
  to authenticator;

-- Uploads in parts that visitors have begun: resumable ones, and those of S3.
create table if not exists cloch.begun_uploads (
  id      uuid primary key,
  network text not null
);
create index if not exists begun_uploads_network_idx on cloch.begun_uploads (network);

-- Forgets those that have ended, of one network or of all.
create or replace function cloch.forget_ended_uploads(of_network text) returns void
language sql set search_path = '' as $$
  delete from cloch.begun_uploads as begun
   where (of_network is null or begun.network = of_network)
     and not exists (select from cloch.storage_uploads as u
                      where u.version = begun.id and u.completed_at is null and u.expires_at > now())
     and not exists (select from storage.s3_multipart_uploads as u where u.id = begun.id::text)
$$;

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

revoke all on cloch.begun_uploads from public;
revoke execute on function cloch.forget_ended_uploads(text), cloch.begin_upload(uuid, text, int) from public;
