-- Exports are files of all entries, made for one download.

-- An export is of no use when its link has ended, a week after it was made.
create function club.sweep_exports() returns integer
language plpgsql set search_path = '' as $$
declare
  swept integer;
begin
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects
   where bucket_id = 'youth-awards-submissions'
     and name like 'exports/%'
     and created_at < now() - interval '7 days';
  get diagnostics swept = row_count;
  return swept;
end;
$$;

do $$
begin
  if to_regnamespace('cron') is not null then
    perform cron.schedule('sweep-exports', '17 * * * *', 'select club.sweep_exports()');
  end if;
end;
$$;
