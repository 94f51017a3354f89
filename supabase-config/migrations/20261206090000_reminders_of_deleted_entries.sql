-- A deleted entry leaves the reminders; its address leaves with it, unless other entries have it. A mail that names the entry is not sent: the worker
-- may have composed it already, and then finds no job that it could close. Other entries of the mail get a job that is composed anew.
create or replace function club.forget_reminders() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  gone record;
  written uuid[];
  is_waiting boolean;
begin
  -- Most entries are in no reminder: thousands may be deleted at once.
  if exists (select from club.reminder_mails as m where m.targets @> array[old.id]) then
    for gone in
      delete from club.mail_jobs as j using club.reminder_mails as m
       where j.kind = 'reminder' and j.entry = m.id and m.targets @> array[old.id]
      returning j.award, j.entry, j.state, j.message_id
    loop
      written := written || gone.message_id;
      is_waiting := gone.state = 'queued';
      if not is_waiting and to_regclass('cloch.mail_outbox') is not null then
        is_waiting := exists (select from cloch.mail_outbox as o where o.id = gone.message_id and o.state = 'queued');
      end if;
      if is_waiting then
        insert into club.mail_jobs (kind, award, entry)
        select 'reminder', gone.award, m.id from club.reminder_mails as m where m.id = gone.entry and m.targets <> array[old.id];
      end if;
    end loop;
    -- What the worker has written since the mails of the entry were deleted.
    if to_regclass('cloch.mail_outbox') is not null then
      delete from cloch.mail_outbox as o where o.id = any (written);
    end if;
    delete from club.reminder_mails as m where m.targets = array[old.id];
    update club.reminder_mails as m set targets = array_remove(m.targets, old.id) where m.targets @> array[old.id];
  end if;
  delete from club.mail_jobs as j where j.kind = 'reminder' and j.entry = old.id;
  return null;
end;
$$;
