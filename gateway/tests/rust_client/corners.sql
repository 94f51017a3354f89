-- Corner cases of the table REST: names, types, relations, functions and refusals.
create schema corners;
grant usage on schema corners to anon, authenticated, service_role;

create type corners.mood as enum ('glad', 'so "so"', 'sad, very');
create type corners.point3 as (x int, y numeric, label text);
create domain corners.even as int check (value % 2 = 0);

create table corners.shelves (id int primary key, name text not null unique, room text default 'hall');
insert into corners.shelves values (1, 'Oak, tall'), (2, 'Pine'), (3, 'Empty');

create table corners.things (
  id int primary key,
  name text,
  amount numeric(12, 4) check (amount > -1000),
  big bigint,
  ratio float8,
  done boolean,
  tags text[],
  grid int[][],
  moods corners.mood[],
  mood corners.mood default 'glad',
  spot corners.point3,
  spots corners.point3[],
  twin corners.even,
  doc jsonb,
  raw json,
  span int4range,
  days daterange,
  spans int4multirange,
  at timestamptz,
  day date,
  pause interval,
  ident uuid,
  bytes bytea,
  address inet,
  words tsvector generated always as (to_tsvector('simple', coalesce(name, ''))) stored,
  doubled numeric generated always as (amount * 2) stored,
  shelf_id int references corners.shelves,
  home_id int references corners.shelves
);
insert into corners.things values
  (1, 'pier', 1.5, 9007199254740993, 0.1, true, '{red,blue}', '{{1,2},{3,4}}', '{glad}', 'glad', '(1,2.50,"a, b")', '{"(1,2,x)","(,,)"}', 2,
   '{"town": "Gourock", "n": 5, "list": ["x", {"y": null}]}', '{"b" : 1, "a":[ ]}', '[1,5)', '[2026-01-01,2026-02-01)', '{[1,3),[7,9)}',
   '2026-03-29 01:30:00+00', '2026-03-29', '1 day', '6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10', '\xdeadbeef', '10.0.0.1', default, default, 1, 2),
  (2, 'a,b"(c).d', -0.0001, -1, 'NaN', false, '{"a b","c,d",NULL}', null, '{"so \"so\"","sad, very"}', 'so "so"', null, '{}', -4,
   '{"town": "Largs", "n": 3, "list": []}', '[1, 2]', '[5,9)', '(,2026-01-01)', '{}', '2026-12-31 23:59:59.999999+00', '1999-12-31', '-1 mons',
   null, '\x', '::1', default, default, 1, 1),
  (3, 'back\slash', 12345678.1234, 0, '-Infinity', null, '{}', '{}', '{}', 'sad, very', '(,,)', null, 0, '[]', 'null', 'empty', 'empty', null,
   'infinity', '-infinity', '00:00:01.5', null, null, '10.0.0.0/8', default, default, 2, null),
  (4, '%_*', 0, 1, 1e300, true, null, null, null, null, null, null, null, 'null', null, '[20,)', null, null, null, null, null, null, null, null,
   default, default, 2, 2),
  (5, 'ünïcode ☂ New  York', 100, 2, 2, true, '{red}', null, null, default, null, null, null, '"text"', '"x"', '[10,12)', null, null, null, null,
   '2 years 3 days', null, null, null, default, default, null, null),
  (6, '', 2.0000, 3, 0, false, '{blue}', null, null, default, null, null, null, '{"town": null}', null, null, null, null, null, null, null, null,
   null, null, default, default, null, 1),
  (7, 'null', null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
   default, default, null, null),
  (8, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
   default, default, null, null);

create table corners.labels (id int primary key, text text not null);
insert into corners.labels values (1, 'wet'), (2, 'old'), (3, 'unused');
create table corners.thing_labels (
  thing_id int references corners.things, label_id int references corners.labels, since date default '2026-01-01', primary key (thing_id, label_id));
insert into corners.thing_labels values (1, 1), (1, 2), (2, 2), (5, 1);

create table corners."Odd ""Name"", 1.0" (
  "the id" int primary key,
  "with.dot" text,
  "co,mma" text,
  "quo""te" int,
  "select" text default 'chosen',
  "naïve ☂" text,
  "(paren)" int,
  shelf_id int references corners.shelves);
insert into corners."Odd ""Name"", 1.0" values
  (1, 'a.b', 'x,y', 1, 'one', 'rain', 1, 1), (2, 'c', '', 2, 'two', null, null, 1), (3, null, 'it''s "so"', null, default, 'sun', 3, 2);

-- A computed column, and a computed relation.
create function corners.title(corners.things) returns text stable language sql as $$ select $1.id || ': ' || coalesce($1.name, '?') $$;
create function corners.neighbours(corners.things) returns setof corners.things rows 2 stable language sql as
  $$ select * from corners.things t where t.id in ($1.id - 1, $1.id + 1) $$;

create view corners.done_things as select id, name, shelf_id from corners.things where done;
create view corners.counted as select shelf_id, count(*) as things from corners.things group by shelf_id;

create table corners.diary (id int primary key, owner uuid not null default auth.uid(), line text);
alter table corners.diary enable row level security;
create policy own on corners.diary to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
insert into corners.diary values (1, '00000000-0000-4000-8000-000000000001', 'of somebody else');
create table corners.sealed (id int primary key, secret text);
create table corners.narrow (id int primary key, shown text, hidden text);
insert into corners.narrow values (1, 'a', 'b');
create table corners.calls (id int primary key, note text);

create function corners.add(a int, b int default 10) returns int immutable language sql as 'select a + b';
create function corners.joined(variadic parts text[]) returns text immutable language sql as $$ select array_to_string(parts, '-') $$;
create function corners.summed(numbers int[]) returns bigint immutable language sql as 'select sum(n) from unnest(numbers) n';
create function corners.up_to(n int) returns setof int immutable language sql as 'select generate_series(1, n)';
create function corners.things_of(shelf int) returns setof corners.things stable language sql as
  'select * from corners.things where shelf_id = shelf order by id';
create function corners.thing(id int) returns corners.things stable language sql as
  'select * from corners.things t where t.id = thing.id';
create function corners.pairs(n int default 2) returns table (number int, name text) immutable language sql as
  $$ select g, 'n' || g from generate_series(1, n) g $$;
create function corners.both(a int, out twice int, out half numeric) immutable language sql as 'select a * 2, a / 2.0';
create function corners.note(id int, note text default 'empty') returns void language sql as 'insert into corners.calls values (id, note)';
create function corners.whole(jsonb) returns jsonb immutable language sql as $$ select jsonb_build_object('got', $1) $$;
create function corners.caller() returns json stable language sql as
  $$ select json_build_object('role', current_user, 'claim', current_setting('request.jwt.claims', true)::json ->> 'role') $$;
create function corners.mood_of(mood corners.mood) returns corners.mood immutable language sql as 'select mood';
create function corners.spot(spot corners.point3) returns corners.point3 immutable language sql as 'select spot';
create function corners.nothing() returns text immutable language sql as 'select null::text';
create function corners.over(a int) returns text immutable language sql as $$ select 'one ' || a $$;
create function corners.over(a int, b int) returns text immutable language sql as $$ select 'two ' || a + b $$;
create function corners."odd function"("an argument" text) returns text immutable language sql as $$ select "an argument" || '!' $$;
create function corners.fail(code text) returns void language plpgsql as
  $$ begin raise exception 'failed with %', code using errcode = code, detail = 'a detail', hint = 'a hint'; end $$;
create function corners.sealed_function() returns int language sql as 'select 1';
grant execute on all functions in schema corners to anon, authenticated, service_role;
revoke execute on function corners.sealed_function() from anon, authenticated;

grant select on corners.shelves, corners.things, corners.labels, corners.thing_labels, corners."Odd ""Name"", 1.0", corners.done_things,
  corners.counted to anon;
grant select (id, shown) on corners.narrow to anon;
grant insert on corners.narrow to anon;
grant select, insert, update, delete on all tables in schema corners to authenticated, service_role;
revoke all on corners.sealed from authenticated;
analyze corners.things;
