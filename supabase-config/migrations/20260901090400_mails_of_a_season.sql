-- With a season go the mails of its entries too, whenever they were written: a mail that
-- waited for its turn may be younger than the season's end. Its row of mail_jobs names
-- an entry that is there no more.

create function club.delete_mails_of_season() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  gone uuid[];
begin
  select array_agg(j.id) into gone
    from club.mail_jobs as j
   where not exists (select from club.entries as e where e.id = j.entry)
     and not exists (select from public.extra_files as x where x.id = j.entry);
  if to_regclass('cloch.mail_outbox') is not null then
    delete from cloch.mail_outbox as m using club.mail_jobs as j where j.id = any (gone) and m.id = j.message_id;
  end if;
  delete from club.mail_jobs as j where j.id = any (gone);
  return null;
end;
$$;
-- After delete_extra_files: triggers of one event fire by name.
create trigger delete_mails after update of deleted_at on public.seasons
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function club.delete_mails_of_season();
