-- Documents. A worker outside of the database counts their words.
create table public.documents (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  body text not null check (octet_length(body) <= 1000000),
  words integer,
  error text
);
alter table public.documents enable row level security;
create policy "owners read" on public.documents for select to authenticated using (owner = (select auth.uid()));
create policy "owners write" on public.documents for insert to authenticated with check (owner = (select auth.uid()));
-- Only the worker may write the result. Clients cannot.
revoke insert, update on public.documents from anon, authenticated;
grant insert (body) on public.documents to authenticated;

-- Totals, which a job of cron computes every minute.
create table public.totals (
  at timestamptz primary key default now(),
  documents bigint not null,
  words bigint not null
);
alter table public.totals enable row level security;
