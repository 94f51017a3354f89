-- Tables and functions for the generated requests (generated/).
create schema basin;
grant usage on schema basin to anon, authenticated, service_role;

-- Embeds: relationships of every kind, with columns that have the names of tables
create table basin.yards (id int primary key, name text, trips int, tags text[]);
create table basin.boats (id int primary key, name text, yard_id int references basin.yards, twin_id int references basin.boats, length int, yards text);
create table basin.trips (id int primary key, boat_id int references basin.boats, yard_id int references basin.yards, name text, day date, cost numeric, boats int);
create table basin.people (id int primary key, name text, boss_id int references basin.people);
create table basin.crews (boat_id int references basin.boats, person_id int references basin.people, task text, primary key (boat_id, person_id));
create view basin.long_boats as select id, name, yard_id, length from basin.boats where length > 5;
create function basin.last_trip(basin.boats) returns setof basin.trips language sql stable rows 1 as
  $$ select * from basin.trips where boat_id = $1.id order by day desc, id desc limit 1 $$;
create function basin.shouted(basin.boats) returns text language sql immutable as $$ select upper($1.name) || '!' $$;
create function basin.label(basin.boats) returns text language sql immutable as $$ select 'boat ' || $1.id $$;
create function basin.label(basin.yards) returns text language sql immutable as $$ select 'yard ' || $1.id $$;

-- Results: every form that a function can return
create type basin.kind as (id int, name text, length int);
create function basin.no_result() returns void language sql as $$ select $$;
create function basin.one_int(n int default 7) returns int language sql immutable as $$ select n $$;
create function basin.one_text(n int default 1) returns text language sql immutable as $$ select (array['plain', 'a,b "c"', E'x\ny\\', ''])[n] $$;
create function basin.one_json(n int default 1) returns jsonb language sql immutable as $$ select (array['{"a": null, "b": [1, {"c": null}]}', '[1, null]', 'null', '"t"']::jsonb[])[n] $$;
create function basin.one_array() returns text[] language sql immutable as $$ select '{a,"b,c",NULL,"d\"e"}'::text[] $$;
create function basin.one_boat(n int default 1) returns basin.boats language sql stable as $$ select * from basin.boats where id = n $$;
create function basin.one_kind() returns basin.kind language sql immutable as $$ select 1, null::text, 3 $$;
create function basin.one_row(out id int, out name text, out length int) language sql immutable as $$ select 1, 'one', null::int $$;
create function basin.one_out(out answer int) language sql immutable as $$ select 42 $$;
create function basin.in_out(inout id int, out name text, in n int default 2) language sql immutable as $$ select id * n, 'n' || n $$;
create function basin.uq0q(inout id int, in n int default 2, out name text) language sql immutable as $$ select id * n, 'n' || n $$;
create function basin.one_record() returns record language sql immutable as $$ select 1 as id, 'x'::text as name $$;
create function basin.many_ints(n int default 3) returns setof int language sql immutable as $$ select generate_series(n, 1, -1) $$;
create function basin.many_texts() returns setof text language sql immutable as $$ values ('b'), (null), ('a,"q"'), (E'l\nm'), ('') $$;
create function basin.many_json() returns setof json language sql immutable as $$ values ('{"id": 1}'::json), (null), ('[1, 2]') $$;
create function basin.many_boats() returns setof basin.boats language sql stable as $$ select * from basin.boats $$;
create function basin.many_long_boats() returns setof basin.long_boats language sql stable as $$ select * from basin.long_boats $$;
create function basin.many_kinds() returns setof basin.kind language sql immutable as $$ values (1, 'a', 3), (2, null, null), (3, 'c', 1) $$;
create function basin.many_rows(n int default 4) returns table (id int, name text, length int) language sql stable as
  $$ select id, name, length from basin.boats where id <= n $$;
create function basin.many_outs(out id int, out name text, out length int) returns setof record language sql stable as
  $$ select id, name, length from basin.boats order by id desc $$;
create function basin.many_out(out id int) returns setof int language sql immutable as $$ values (3), (1), (2) $$;
create function basin.many_in_outs(inout id int, out name text, out length int) returns setof record language sql stable as
  $$ select b.id, b.name, b.length from basin.boats b where b.id >= $1 $$;
create function basin.no_rows() returns table (id int, name text, length int) language sql immutable as $$ select 1, 'x', 1 where false $$;
create function basin.no_ints() returns setof int language sql immutable as $$ select 1 where false $$;

insert into basin.yards values (1, 'Rope', 1, '{a,b}'), (2, 'Anchor', null, '{}'), (3, null, 3, null);
insert into basin.boats values (1, 'Ada', 1, null, 12, 'y'), (2, 'Bee', 1, 1, 4, null), (3, null, 2, 1, null, 'z'), (4, 'Dab, "Q"', null, 3, 7, '');
insert into basin.trips values (1, 1, 1, 'out', '2024-01-01', 10.5, 1), (2, 1, 2, 'back', '2024-01-02', null, null), (3, 2, 1, null, '2024-01-03', 3, 2), (4, 3, null, 'out', null, 0, 3), (5, 1, 3, 'yards', '2024-01-02', -1, 4);
insert into basin.people values (1, 'Ann', null), (2, 'Ben', 1), (3, null, 1);
insert into basin.crews values (1, 1, 'steer'), (1, 2, null), (2, 2, 'row'), (3, 1, 'steer');

-- CSV: values and names that need quotes
create table basin.sheets (
  id int primary key, plain text, quoted text, empty text, flag boolean, amount numeric, whole bigint, real_one double precision, day date, at timestamptz,
  words text[], numbers int[], data jsonb, raw json, bytes bytea, span int4range, place harbour.point3, "a,b" text, "q""t" int, "line
break" text, state harbour.state, boat_id int references basin.boats, double_id int generated always as (id * 2) stored
);
insert into basin.sheets values
  (1, 'plain', 'a"b', '', true, 1.50, 9007199254740993, 1e-7, '2024-02-29', '2024-02-29 12:00:00+00', '{a,"b,c","d\"e",NULL}', '{1,NULL}', '{"k": "v,\"w\""}', '{"b":1, "a":[ ]}', '\xdeadbeef', '[1,5)', '(1,2,"x,y")', 'c,d', 1, 'l', 'docked', 1),
  (2, 'comma, space', E'two\nlines', null, false, -0.00, 0, 'NaN', null, 'infinity', '{}', '{}', '[]', '[1,2]', '\x', 'empty', '(,,)', '', null, E'm\nn', 'planned', 2),
  (3, E'back\\slash', E'tab\tand\rreturn', ' ', null, null, null, null, '0044-03-15 BC', null, null, null, null, null, null, null, null, null, null, null, null, null),
  (4, E'\\', '"', '""', true, 1e20, -1, '-Infinity', 'infinity', '2024-07-01 00:00:00.123456+02', '{"","\\","{}"}', '{{1,2},{3,4}}', '"text"', 'null', '\x00ff', '(,5]', '(3,,"q""r")', E'\\"', -1, '"', 'under way', 1),
  (5, '(a)', $$'single'$$, 'NULL', false, 'NaN', 5, 0, '2000-01-01', '0001-01-01 00:00:00+00', '{NULL,null,"NULL"}', '{5}', '{"a": {"b": null}}', '{"u":"\u00e9"}', '\x5c5c', null, null, 'é', 5, 'ж', null, null);
create table basin.empty_sheets (like basin.sheets including all);
create view basin.sheets_view as select id, quoted as "Quoted, as is", words, data from basin.sheets;
create function basin.many_sheets() returns setof basin.sheets language sql stable as $$ select * from basin.sheets $$;
create function basin.csv_rows(n int) returns table (id int, "a,b" text, words text[], data jsonb) language sql stable as
  $$ select id, quoted, words, data from basin.sheets where id <= n $$;
create function basin.one_sheet(n int) returns basin.sheets language sql stable as $$ select * from basin.sheets where id = n $$;

-- Settings of roles: values whose text depends on a setting
create table basin.moments (
  id int primary key, at timestamptz, local timestamp, day date, clock time, zoned timetz, gap interval, bytes bytea, small real, big double precision, paid money,
  ats timestamptz[], days date[], gaps interval[], bigs double precision[], all_bytes bytea[], during tstzrange, days_range daterange, doc jsonb, parent_id int references basin.moments
);
insert into basin.moments values
  (1, '2024-05-06 07:08:09.5Z', '2024-05-06 07:08:09', '2024-05-06', '07:08:09', '07:08:09+02', '1 year 2 mons 3 days 04:05:06.7', '\xdead00', 0.1, 0.1, 12.5, '{2024-01-01 00:00Z,NULL}', '{2024-12-31}', '{1 day,-02:00:00}', '{0.1,1e300}', '{"\\x5c00"}', '[2024-01-01 00:00Z,2024-02-01 00:00Z)', '[2024-01-02,2024-03-04)', '{"at": "2024-01-01"}', null),
  (2, '0044-03-15 12:00:00+00 BC', 'infinity', '0044-03-15 BC', '23:59:59.999999', '00:00+14', '-1 mons +2 days -03:00', '\x27225c', 3.4e38, 1e-300, -1, '{}', '{infinity}', '{}', '{}', '{}', 'empty', '(,)', null, 1),
  (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, '[]', 2);
create function basin.now_at(n int) returns timestamptz language sql stable as $$ select at from basin.moments where id = n $$;
create function basin.gap_of(n int) returns interval language sql stable as $$ select gap from basin.moments where id = n $$;
create function basin.day_text(n int) returns text language sql stable as $$ select day::text || ' ' || at::text from basin.moments where id = n $$;
create function basin.read_day(day date) returns date language sql immutable as $$ select day $$;
create function basin.all_moments() returns setof basin.moments language sql stable as $$ select * from basin.moments $$;
create function basin.shown(name text) returns text language sql stable as $$ select current_setting(name, true) $$;
create function basin.with_timeout() returns text language sql stable set statement_timeout = '6s' as $$ select current_setting('statement_timeout') $$;
create function basin.with_isolation() returns text language sql stable set default_transaction_isolation = 'repeatable read' as $$ select current_setting('transaction_isolation') $$;
create function basin.with_zone() returns text language sql stable set timezone = 'Asia/Tokyo' as $$ select at::text from basin.moments where id = 1 $$;
create function basin.with_style() returns text language sql stable set datestyle = 'German' set intervalstyle = 'iso_8601' as $$ select day::text || gap::text from basin.moments where id = 1 $$;
create schema "Odd Basin";
grant usage on schema "Odd Basin" to public;
create function "Odd Basin".where_am_i() returns text language sql immutable as $$ select 'odd' $$;
create function harbour.where_am_i() returns text language sql immutable as $$ select 'harbour' $$;
create function basin.found() returns text language plpgsql stable as $$ begin return where_am_i(); end $$;

grant select on all tables in schema basin to public;
grant insert, update, delete on all tables in schema basin to authenticated, service_role;
analyze;
