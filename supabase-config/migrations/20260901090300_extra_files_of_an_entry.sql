-- Who asks that an entry be deleted means what was sent after it too: the rows of
-- additional files and recordings under the same name, their files, their mails and
-- what the log says of them. Where another entry bears the name, they may be its
-- own and stay.

create function club.extra_files_of(award text, entry uuid) returns setof public.extra_files
language sql stable set search_path = '' as $$
  select x.*
    from club.entries as e
    join public.extra_files as x on club.path_name(x.entrant_name) = club.path_name(e.name)
   where e.award = $1 and e.id = $2 and not club.has_namesake($1, $2)
$$;

alter function public.entry_files(text, uuid) set schema club;
alter function club.entry_files(text, uuid) rename to files_of_entry;

create function public.entry_files(award text, entry uuid) returns table (bucket_id text, name text)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select f.bucket_id, f.name from club.files_of_entry($1, $2) as f
    union
    select o.bucket_id, o.name
      from club.extra_files_of($1, $2) as x
     cross join unnest(x.uploaded_files) as path
      join storage.objects as o
        on o.name = path
       and o.bucket_id = case x.kind when 'music' then 'music-uploads' else 'youth-awards-submissions' end
     where not exists (select from club.entries as e where e.id <> $2 and e.uploaded_files @> array[path])
       and not exists (
         select from public.extra_files as other
          where other.uploaded_files @> array[path]
            and other.id not in (select own.id from club.extra_files_of($1, $2) as own))
     order by 1, 2;
end;
$$;

alter function club.entry_mail(text, uuid) rename to mail_of_entry;

create function club.entry_mail(award text, entry uuid) returns table (id uuid, kind text)
language plpgsql stable security definer set search_path = '' as $$
begin
  if to_regclass('cloch.mail_outbox') is null then
    return;
  end if;
  return query
    select m.id, m.kind from club.mail_of_entry($1, $2) as m
    union
    select m.id, m.kind
      from club.extra_files_of($1, $2) as x
      join club.mail_jobs as j on j.entry = x.id
      join cloch.mail_outbox as m on m.id = j.message_id;
end;
$$;

alter function public.delete_entry(text, uuid) set schema club;
alter function club.delete_entry(text, uuid) rename to delete_entry_alone;
revoke execute on function club.delete_entry_alone(text, uuid) from public, authenticated, service_role;
revoke execute on function club.mail_of_entry(text, uuid), club.entry_mail(text, uuid) from public, authenticated, service_role;

-- Deletes an entry whose files are gone, with what was sent after it; returns how many
-- mails went with it. With its owner's rights, for the log and the mail.
create function public.delete_entry(award text, entry uuid) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  extra uuid[];
  mails integer;
begin
  perform club.require_admin();
  select coalesce(array_agg(x.id), '{}') into extra from club.extra_files_of($1, $2) as x;
  mails := club.delete_entry_alone($1, $2);
  delete from club.mail_jobs as j where j.entry = any (extra);
  perform set_config('club.deleting_season', 'on', true);
  delete from public.audit_log where record_id = any (extra);
  delete from public.extra_files where id = any (extra);
  perform set_config('club.deleting_season', '', true);
  return mails;
end;
$$;

grant execute on function
  club.extra_files_of(text, uuid), public.entry_files(text, uuid), public.delete_entry(text, uuid)
  to authenticated, service_role;
