-- The totals that stay of a season leave out what was withdrawn, which counts nowhere.
-- As before otherwise: deletes the entries made before that moment, what the log says of
-- them, the mails and the letters; returns how many entries.
create or replace function public.delete_season(before timestamptz, season text) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  gone uuid[];
begin
  perform club.require_admin();
  if before > now() + interval '1 day' then
    raise exception 'The season is not over yet';
  end if;
  if exists (select from public.season_files(before)) then
    raise exception 'Files of this season are still stored' using hint = 'Remove them first: season_files lists them.';
  end if;
  select coalesce(array_agg(e.id), '{}') into gone from club.entries as e where e.created_at < before;

  insert into public.season_totals as t (season, award, category, entries)
  select delete_season.season, e.award, e.category, count(*)::integer
    from club.entries as e
   where e.id = any (gone) and e.withdrawn_at is null
   group by e.award, e.category
  union all
  select delete_season.season, o.category, 'on paper', sum(o.count)::integer
    from public.offline_submissions as o
   where o.created_at < before
   group by o.category
  having sum(o.count) > 0
  on conflict on constraint season_totals_season_award_category_key do update
    set entries = t.entries + excluded.entries;

  -- The log keeps that a record was deleted, not what stood in it.
  perform set_config('club.deleting_season', 'on', true);
  delete from public.audit_log where record_id = any (gone);
  delete from public.young_citizen_nominations where id = any (gone);
  delete from public.young_musician_entries where id = any (gone);
  delete from public.young_photographer_entries where id = any (gone);
  delete from public.young_artist_entries where id = any (gone);
  delete from public.offline_submissions where created_at < before;
  delete from public.guest_letters where sent_at < before;
  if to_regclass('cloch.mail_outbox') is not null then
    delete from cloch.mail_outbox where id in (select m.id from club.season_mail(before) as m);
  end if;
  update public.seasons as s set deleted_at = now() where s.name = delete_season.season;
  perform set_config('club.deleting_season', '', true);
  return cardinality(gone);
end;
$$;
