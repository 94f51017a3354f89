-- Deletes registrations of uploads (cloch.begun_uploads) that were completed or aborted, or that have expired. `of_network` limits this to
-- one network; null for all networks. Only Cloch's own login may call the function.
create or replace function cloch.forget_ended_uploads(of_network text) returns void
language sql set search_path = 'pg_catalog', 'pg_temp' as $$
  delete from cloch.begun_uploads as begun
   where (of_network is null or begun.network = of_network)
     and not exists (select from cloch.storage_uploads as u
                      where u.version = begun.id and u.completed_at is null and u.expires_at > now())
     and not exists (select from storage.s3_multipart_uploads as u where u.id = begun.id::text)
$$;
revoke execute on function cloch.forget_ended_uploads(text) from public;
