-- Tables that the benchmarks read and write: the entries of an award, the judges of these entries, and a journal.
create table schools (id int primary key, name text not null, town text);
create table judged (
  id int primary key, title text not null, score numeric(6, 2), state text, created_at timestamptz not null, school_id int references schools
);
create table marks (entry_id int references judged, judge text, points int, primary key (entry_id, judge));
create index on judged (school_id);
create table journal (id bigint generated always as identity primary key, label text, amount int, at timestamptz default now());
create function add_up(a int, b int) returns int language sql immutable as $$ select a + b $$;
create function is_admin() returns boolean language sql stable as
  $$ select coalesce(current_setting('request.jwt.claims', true)::json->>'app_role' = 'admin', false) $$;
insert into schools select i, 'School ' || i, 'Town ' || i % 10 from generate_series(1, 50) i;
insert into judged select i, 'Entry number ' || i, i * 1.25, 'open', '2026-01-01'::timestamptz + i * interval '1 hour', 1 + i % 50 from generate_series(1, 5000) i;
insert into marks select e, 'judge ' || j, (e * j) % 10 from generate_series(1, 5000) e, generate_series(1, 3) j;
alter table judged enable row level security;
alter table marks enable row level security;
alter table schools enable row level security;
create policy read_all on schools for select using (true);
create policy read_own on judged for select using (state = 'public' or (select is_admin()));
create policy read_marks on marks for select using ((select is_admin()));
grant usage on schema public to anon, authenticated, service_role;
grant select on all tables in schema public to anon, authenticated, service_role;
grant insert, update, delete on journal to authenticated;
grant insert on journal to anon;
grant usage on all sequences in schema public to authenticated;
vacuum analyze;
