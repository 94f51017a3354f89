-- unused_index: public.marks
-- table_bloat: public.letters
create table public.pupils (id int primary key);
create table public.marks (id int primary key, pupil int references public.pupils, mark int, note text);
create index marks_mark on public.marks (mark);
create index marks_pupil on public.marks (pupil, mark);
create unique index marks_note on public.marks (note);
create table public.letters (id int primary key, body text) with (autovacuum_enabled = off);
create index letters_body on public.letters (body) where id < 0;
alter table public.pupils enable row level security;
alter table public.marks enable row level security;
alter table public.letters enable row level security;
create policy "pupils" on public.pupils for select using (id > 0);
create policy "marks" on public.marks for select using (id > 0);
create policy "letters" on public.letters for select using (id > 0);
insert into public.pupils select generate_series(1, 2000);
insert into public.marks select n, n, n % 6, n::text from generate_series(1, 2000) n;
insert into public.letters select n, repeat('x', 900) from generate_series(1, 30000) n;
delete from public.letters where id > 900;
analyze public.pupils, public.marks, public.letters;
select count(*) from public.marks;
select pg_stat_force_next_flush();
