-- Documents and their passages, each with its embedding. The number of dimensions is that of the embedding model: 384 for all-minilm.
create extension if not exists vector with schema extensions;

create table public.documents (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  title text not null check (char_length(title) between 1 and 200),
  added_at timestamptz not null default now(),
  unique (owner, title)
);
create table public.passages (
  document bigint references public.documents on delete cascade,
  number integer,
  body text not null check (char_length(body) between 1 and 2000),
  embedding extensions.vector(384) not null,
  primary key (document, number)
);
-- There is no index on the embeddings: the passages of one owner are few, and an exact search finds all of them. An index (hnsw) finds the nearest passages of
-- all owners first, and the policy then removes most of them.

alter table public.documents enable row level security;
alter table public.passages enable row level security;
create policy "own documents" on public.documents for all to authenticated
  using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
-- The policy of documents applies in this subquery too.
create policy "passages of own documents" on public.passages for all to authenticated
  using (document in (select id from public.documents)) with check (document in (select id from public.documents));
