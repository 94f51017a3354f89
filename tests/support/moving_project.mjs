/** A project with data to move. At full size, it has 100,000 rows, 1,000 users and 2,000 files. */
import { createClient } from '@supabase/supabase-js'
import { createHash } from 'node:crypto'

export const password = 'correct horse battery'

/**
 * Objects that real projects have in addition to tables: enums, views, functions, a trigger on auth.users, policies on files, a role, and an
 * additional schema.
 */
export const schema = (rows) => `
create extension if not exists pg_trgm with schema extensions;
create role reporter nologin;
grant reporter to authenticator;
create schema shop;
grant usage on schema shop to authenticated, reporter;
create type public.state as enum ('open', 'done');
create table public.profiles (id uuid primary key references auth.users on delete cascade, name text not null, at timestamptz not null default now());
create table public.notes (
  id bigint generated always as identity primary key,
  owner uuid not null references auth.users on delete cascade,
  body text not null, state public.state not null default 'open',
  length int generated always as (char_length(body)) stored, tags text[] not null default '{}', extra jsonb);
create table shop."Odd ""names""" ("a b" int primary key, "select" text);
create index on public.notes using gin (body extensions.gin_trgm_ops);
create view public.open_notes with (security_invoker = on) as select * from public.notes where state = 'open';
alter table public.profiles enable row level security;
alter table public.notes enable row level security;
create policy "own profile" on public.profiles using (id = auth.uid());
create policy "own notes" on public.notes for all to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
create policy "own files" on storage.objects for select to authenticated using (bucket_id = 'files' and (storage.foldername(name))[1] = auth.uid()::text);
create function public.make_profile() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.profiles (id, name) values (new.id, coalesce(new.raw_user_meta_data->>'name', 'nobody; really'));
  return new;
end;
$$;
create trigger make_profile after insert on auth.users for each row execute function public.make_profile();
grant select, insert, update, delete on public.profiles, public.notes to authenticated, service_role;
grant select on public.open_notes to authenticated;
grant select on public.notes to reporter;
comment on table public.notes is 'what a member wrote; it''s theirs';
insert into storage.buckets (id, name, public) values ('files', 'files', false), ('open', 'open', true);
insert into shop."Odd ""names""" values (1, E'tab\\there, line\\nthere, backslash \\\\. and \\\\N'), (2, null), (3, '\\.');
create function public.fill(owner uuid) returns void language sql security definer set search_path = '' as $$
  insert into public.notes (owner, body, state, tags, extra)
  select owner, 'note ' || n || ' ${'ü'}', case when n % 3 = 0 then 'done' else 'open' end::public.state, array['a', null, 'b,c'], '{"a":[1,2]}'
    from generate_series(1, ${rows}) as n $$;
revoke execute on function public.fill from public, anon, authenticated;
alter publication supabase_realtime add table public.notes;
`

const mail = (number) => `member${number}@example.org`

/** Returns the content of a file. It depends only on the number of the file. */
export const bytes = (number) => Buffer.concat(
  Array.from({ length: 1 + (number % 7) }, (_, part) => createHash('sha512').update(`${number} ${part}`).digest()),
)
export const fileName = (owner, number) => `${owner}/folder ${number % 10}/Book & ${number}.bin`

export const client = (cloch, key = cloch.serviceKey) => createClient(cloch.url, key, { auth: { persistSession: false, autoRefreshToken: false } })

/** Runs jobs in parallel, a few at a time. */
export async function inParallel(count, job, width = 8) {
  let next = 0
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < count) await job(next++)
  }))
}

/**
 * Fills a running project with data through its APIs.
 * @returns the users in the order of their numbers, and a session of the first user, who is still signed in
 */
export async function fill(cloch, { users, files }) {
  const admin = client(cloch)
  const made = []
  await inParallel(users, async (number) => {
    const { data, error } = await admin.auth.admin.createUser({ email: mail(number), password, email_confirm: true, user_metadata: { name: `Member ${number}` } })
    if (error) throw error
    made[number] = { id: data.user.id, email: mail(number) }
  }, 2)
  const { error: failed } = await admin.rpc('fill', { owner: made[0].id })
  if (failed) throw failed
  await inParallel(files, async (number) => {
    const owner = made[number % users].id
    const { error } = await admin.storage.from('files').upload(fileName(owner, number), bytes(number), { contentType: 'application/x-own' })
    if (error) throw error
  })
  const { error } = await admin.storage.from('open').upload('shown.txt', 'shown', { contentType: 'text/plain' })
  if (error) throw error
  const member = client(cloch, cloch.anonKey)
  const { data, error: refused } = await member.auth.signInWithPassword({ email: made[0].email, password })
  if (refused) throw refused
  return { users: made, session: data.session }
}
