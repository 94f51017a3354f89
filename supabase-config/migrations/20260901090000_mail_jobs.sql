-- Mails that the database asks for. A row is written in the transaction of what its
-- mail tells of, so a saved entry is never without one: not when the browser goes
-- away, nor when a school's network has used up its calls. A worker of the program
-- turns a row into a message of the outbox, which delivers it.
--
-- A row names what the mail is about and holds none of it: the worker reads the
-- entry when it writes the mail. No caller of the API may read or change this table.

create table club.mail_jobs (
  id          uuid not null default gen_random_uuid(),
  -- What the mail is, such as 'entry': the announcement of an entry to the club.
  kind        text not null,
  -- The award of the entry (citizen, musician, photographer, artist), or what else it is.
  award       text not null,
  entry       uuid not null,
  state       text not null default 'queued',
  attempts    integer not null default 0,
  -- When a worker may take it; while one holds it, when another may.
  due_at      timestamptz not null default now(),
  last_error  text,
  -- The message in the outbox; null where the entry was deleted before the mail was written.
  message_id  uuid,
  created_at  timestamptz not null default now(),
  finished_at timestamptz,
  constraint mail_jobs_pkey primary key (id),
  constraint mail_jobs_state_is_known check (state in ('queued', 'written', 'failed'))
);
alter table club.mail_jobs enable row level security;
create index mail_jobs_due_idx on club.mail_jobs (due_at) where state = 'queued';
create index mail_jobs_entry_idx on club.mail_jobs (entry);

-- Asks for a mail. For triggers and functions with their owner's rights.
create function club.queue_mail(kind text, award text, entry uuid) returns void
language sql set search_path = '' as $$
  insert into club.mail_jobs (kind, award, entry) values ($1, $2, $3);
  select pg_catalog.pg_notify('club_mail_jobs', '');
$$;

-- After the insert of an entry; its argument is the award.
create function club.queue_entry_mail() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform club.queue_mail('entry', tg_argv[0], new.id);
  return null;
end;
$$;

create trigger queue_entry_mail after insert on public.young_citizen_nominations
  for each row execute function club.queue_entry_mail('citizen');
create trigger queue_entry_mail after insert on public.young_musician_entries
  for each row execute function club.queue_entry_mail('musician');
create trigger queue_entry_mail after insert on public.young_photographer_entries
  for each row execute function club.queue_entry_mail('photographer');
create trigger queue_entry_mail after insert on public.young_artist_entries
  for each row execute function club.queue_entry_mail('artist');

-- The artist form asks for a nominee beside the entrant: the mail is written from the
-- record, so the record keeps the name.
alter table public.young_artist_entries
  add column nominee_name text,
  add constraint nominee_name_at_most_200_characters check (char_length(nominee_name) <= 200);
grant insert (nominee_name) on public.young_artist_entries to anon;
