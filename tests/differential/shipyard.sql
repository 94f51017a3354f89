-- A shipyard, in addition to the harbour: rarer constructs, each in its smallest form.

-- Keys of every shape
create table harbour.docks (yard int, number int, depth numeric, primary key (yard, number));
create table harbour.hulls (
  id int primary key,
  yard int, dock int,
  spare_yard int, spare_dock int,
  mould_id int unique,
  twin_id int unique references harbour.hulls,
  label varchar(8), flag char(3), marks bit(3), codes varbit(8),
  grades harbour.state[] default '{}', spans int4range[], points harbour.point3[], hours int[][],
  made timestamptz default '2020-01-01T00:00:00Z',
  constraint hull_dock foreign key (yard, dock) references harbour.docks,
  constraint hull_spare_dock foreign key (spare_yard, spare_dock) references harbour.docks
);
create table harbour.moulds (id int primary key, name text);
alter table harbour.hulls add constraint hull_mould foreign key (mould_id) references harbour.moulds;
create table harbour.welders (id int primary key, name text);
create table harbour.shifts (welder_id int references harbour.welders, hull_id int references harbour.hulls, day date, primary key (welder_id, hull_id, day));
create table harbour.inspections (inspector_id int references harbour.welders, hull_id int references harbour.hulls, passed boolean, primary key (inspector_id, hull_id));
create table harbour.pairs_of_welders (one int constraint pair_one references harbour.welders, other int constraint pair_other references harbour.welders, primary key (one, other));
create table harbour.loose_links (id int primary key, welder_id int references harbour.welders, hull_id int references harbour.hulls, unique (welder_id, hull_id));
create table harbour.plates (serial bigint generated always as identity primary key, hull_id int not null references harbour.hulls on delete cascade, weight numeric check (weight > 0), cut date default current_date);
create table harbour.keyless (a int, b text, c jsonb);
create table harbour.upper_lower (a int, "A" int, " spaced " text, "semi;colon" int, "per%cent" int, "slash/name" int, "und_er$1" int, "ключ" text, "a,b" int, "c(d)" int, "e:f" int, "g""h" int, "i->j" int, "k.l" int, "select" int, "columns" int, "limit" int, "or" int, primary key (a, "ключ"));
create table harbour."таблица" (id int primary key, "имя" text, hull_id int references harbour.hulls);
create table harbour."with space" (id int primary key, "first name" text);
create table harbour."dash-ed" (id int primary key, "x-y" text);
create table harbour.defaulted (id serial primary key, at_time timestamptz default '2001-01-01', n int default 5 not null, t text default 'it''s', j jsonb default '{"a": [1]}', f float8 default 1.5, arr int[] default '{1,2}', state harbour.state default 'docked', none text, expr text default upper('x') || 'y', b boolean default true);
create table harbour.stamped (id int primary key, body text, day timestamptz not null default '2024-01-01', check (body <> 'bad'));
create table harbour.tree (id int primary key, up int references harbour.tree, name text, weight int);

-- Partitions on both ends of keys
create table harbour.parts (id int, kind text, name text, mould_id int references harbour.moulds, primary key (id, kind)) partition by list (kind);
create table harbour.parts_a partition of harbour.parts for values in ('a');
create table harbour.parts_b partition of harbour.parts default;
create table harbour.part_orders (id int primary key, part_id int, part_kind text, foreign key (part_id, part_kind) references harbour.parts);

-- Views of every shape
create function harbour.used_by_all() returns setof harbour.hulls language sql stable as $$ select * from harbour.hulls $$;
create view harbour.hulls_joined as select h.id, h.label, m.id as mould, m.name as mould_name, h.yard, h.dock from harbour.hulls h join harbour.moulds m on m.id = h.mould_id;
create view harbour.hulls_cte as with chosen as (select id, mould_id, label from harbour.hulls where label is not null) select * from chosen;
create view harbour.hulls_sub as select * from (select id as hull, mould_id, (select name from harbour.moulds where id = mould_id) as mould_name from harbour.hulls) s;
create view harbour.hulls_union as select id, mould_id from harbour.hulls where id < 2 union all select id, mould_id from harbour.hulls where id >= 2;
create view harbour.hulls_distinct as select distinct mould_id, label from harbour.hulls;
create view harbour.hulls_grouped as select mould_id, count(*) as n from harbour.hulls group by mould_id;
create view harbour.hulls_cast as select id, mould_id::bigint as mould_id from harbour.hulls;
create view harbour.shifts_view as select * from harbour.shifts;
create view harbour.welders_view as select id as welder, name from harbour.welders;
create view harbour.of_extension as select id, mould_id from harbour.hulls where id in (select hull_id from harbour.shifts);
create materialized view harbour.moulds_stored as select id, name from harbour.moulds;
create view harbour.yard_docks as select yard as y, number as n, depth from harbour.docks;
create view harbour.changeable as select id, name from harbour.moulds;
create function harbour.changeable_change() returns trigger language plpgsql as $$ begin
  if tg_op = 'DELETE' then delete from harbour.moulds where id = old.id; return old; end if;
  update harbour.moulds set name = new.name || '!' where id = old.id; return new; end $$;
create trigger changeable_update instead of update on harbour.changeable for each row execute function harbour.changeable_change();
create trigger changeable_delete instead of delete on harbour.changeable for each row execute function harbour.changeable_change();

create view harbour.v_recursive as with recursive down (id, up, name, depth) as (select id, up, name, 0 from harbour.tree where up is null union all select t.id, t.up, t.name, d.depth + 1 from harbour.tree t join down d on t.up = d.id) select * from down;
create view harbour.v_window as select id, mould_id, row_number() over (partition by mould_id order by id) as n, lag(id) over w as before from harbour.hulls window w as (order by id);
create view harbour.v_lateral as select h.id, h.mould_id, l.weight, l.serial from harbour.hulls h left join lateral (select p.weight, p.serial from harbour.plates p where p.hull_id = h.id order by p.weight limit 1) l on true;
create view harbour.v_unnest as select h.id, h.mould_id, g.grade, g.n from harbour.hulls h, unnest(h.grades) with ordinality as g (grade, n);
create view harbour.v_values as select v.id, v.word, m.name from (values (1, 'one'), (2, 'two')) as v (id, word) join harbour.moulds m on m.id = v.id;
create view harbour.v_except as select id, mould_id from harbour.hulls except select id, mould_id from harbour.hulls where id = 3;
create view harbour.v_sets as select mould_id, yard, count(*) as n from harbour.hulls group by grouping sets ((mould_id), (yard), ());
create view harbour.v_scalar as select id, (select count(*) from harbour.plates p where p.hull_id = h.id) as plates, (select mould_id from harbour.hulls x where x.id = h.id) as mould_id from harbour.hulls h;
create view harbour.v_case as select id, case when mould_id is null then 1 else mould_id end as mould_id, coalesce(yard, 1) as yard, dock from harbour.hulls;
create view harbour.v_whole as select h.*, m as mould_row, m.name from harbour.hulls h left join harbour.moulds m on m.id = h.mould_id;
create view harbour.v_using as select id, moulds.name, hull_id from harbour.moulds join (select hull_id as id, hull_id from harbour.plates) p using (id);
create view harbour.v_full as select coalesce(a.id, b.id) as id, a.mould_id, b.mould_id as other from harbour.hulls a full join harbour.hulls b on a.id = b.twin_id;
create view harbour.v_exists as select * from harbour.welders w where exists (select from harbour.shifts s where s.welder_id = w.id);
create view harbour.v_function as select f.id, f.mould_id from harbour.used_by_all() as f;
create view harbour.v_json as select k.a, j.* from harbour.keyless k, jsonb_to_record(coalesce(k.c -> 'k', '{}')) as j (l jsonb);
create view harbour.v_catalog as select oid::int as id, relname::text as name from pg_class where relname = 'hulls' and relkind = 'r';
create view harbour.v_ctes as with a as (select id, mould_id from harbour.hulls), b as (select a.id, a.mould_id, m.name from a join harbour.moulds m on m.id = a.mould_id), c as (select b.*, b.mould_id as again from b) select * from c;
create view harbour.v_updatable as select id as k, label, mould_id as mm from harbour.hulls where id < 100 with check option;
create materialized view harbour.v_stored as select h.id, h.mould_id, p.serial, p.hull_id from harbour.hulls h join harbour.plates p on p.hull_id = h.id;
create view harbour.v_of_stored as select serial, hull_id, mould_id from harbour.v_stored;
create view harbour."v Spaced" as select id as "Hull Id", mould_id as "Mould" from harbour.hulls;
create view harbour.v_order as select id, mould_id from harbour.hulls order by id limit 2 offset 0 for update;

-- Computed fields and relationships, overloaded, over views, over the other schema
create function harbour.describe(harbour.hulls) returns text language sql immutable as $$ select 'hull ' || $1.id $$;
create function harbour.describe(harbour.moulds) returns text language sql immutable as $$ select 'mould ' || $1.name $$;
create function harbour.made_of(harbour.hulls) returns setof harbour.moulds language sql stable rows 1 as $$ select m.* from harbour.moulds m where m.id = $1.mould_id $$;
create function harbour.used_by(harbour.moulds) returns setof harbour.hulls language sql stable as $$ select * from harbour.hulls where mould_id = $1.id $$;
create function harbour.moulds(harbour.tree) returns setof harbour.moulds language sql stable as $$ select * from harbour.moulds where id = $1.id $$;
create function harbour.children(harbour.tree) returns setof harbour.tree language sql stable as $$ select * from harbour.tree where up = $1.id order by id $$;
create function harbour.parent(harbour.tree) returns setof harbour.tree language sql stable rows 1 as $$ select * from harbour.tree where id = $1.up $$;
create function harbour.single(harbour.tree) returns harbour.tree language sql stable as $$ select * from harbour.tree where id = $1.up limit 1 $$;
create function harbour.viewed(harbour.moulds) returns setof harbour.hulls_joined language sql stable as $$ select * from harbour.hulls_joined where mould = $1.id $$;
create function harbour.priced(harbour.hulls) returns setof annex.items language sql stable as $$ select * from annex.items where id = $1.id $$;
create function extensions.initials(harbour.welders) returns text language sql immutable as $$ select left($1.name, 1) $$;

-- Calls
create function harbour.pick(a int) returns text language sql immutable as $$ select 'a' $$;
create function harbour.pick(a int, b text default 'x') returns text language sql immutable as $$ select 'ab' $$;
create function harbour.pick(c int, d int default 1, e int default 2) returns text language sql immutable as $$ select 'cde' $$;
create function harbour.whole(json) returns text language sql immutable as $$ select 'json ' || $1::text $$;
create function harbour.whole(text) returns text language sql immutable as $$ select 'text ' || $1 $$;
create function harbour.whole(bytea) returns text language sql immutable as $$ select 'bytes ' || length($1) $$;
create function harbour.whole(xml) returns text language sql immutable as $$ select 'xml ' || $1::text $$;
create function harbour.named_or_whole(jsonb) returns text language sql immutable as $$ select 'whole' $$;
create function harbour.named_or_whole(a int, b int) returns text language sql immutable as $$ select 'named' $$;
create function harbour.named_json(data jsonb) returns jsonb language sql immutable as $$ select data $$;
create function harbour.two_unnamed(int, int) returns int language sql immutable as $$ select $1 + $2 $$;
create function harbour.mixed(a int, int) returns int language sql immutable as $$ select $1 + $2 $$;
create function harbour.in_and_out(inout a int, out b text, in c int default 3) language sql immutable as $$ select a + c, 'b' $$;
create function harbour.set_of_out(out a int, out b text) returns setof record language sql immutable as $$ values (1, 'x'), (2, 'y') $$;
create function harbour.one_column() returns table (a int) language sql immutable as $$ values (1), (2) $$;
create function harbour.set_of_json() returns setof jsonb language sql immutable as $$ values ('{"a": 1}'::jsonb), ('2') $$;
create function harbour.set_of_void() returns setof void language sql as $$ select $$;
create function harbour.set_of_state() returns setof harbour.state language sql immutable as $$ values ('docked'::harbour.state), ('planned') $$;
create function harbour.set_of_point() returns setof harbour.point3 language sql immutable as $$ values (1, 2, 'x'), (null, null, null) $$;
create function harbour.points() returns harbour.point3[] language sql immutable as $$ select array[(1, 2, 'x')::harbour.point3] $$;
create function harbour.no_rows() returns setof harbour.moulds language sql stable as $$ select * from harbour.moulds where false $$;
create function harbour.a_domain() returns harbour.short_text language sql immutable as $$ select 'short'::harbour.short_text $$;
create function harbour.texts(variadic words text[]) returns text language sql immutable as $$ select array_to_string(words, '|') $$;
create function harbour.head_and_texts(head text, variadic words text[] default '{}') returns text language sql immutable as $$ select head || ':' || array_to_string(words, '|') $$;
create function harbour."odd-name"("an arg" int) returns int language sql immutable as $$ select "an arg" $$;
create function harbour."функция"("арг" text) returns text language sql immutable as $$ select "арг" $$;
create function harbour.arrays(i int[], t text[], j jsonb[] default null, s harbour.state[] default null) returns json language sql immutable as $$ select json_build_array(i, t, j, s) $$;
create function harbour.types(d date default null, ts timestamptz default null, n numeric default null, u uuid default null, r int4range default null, p harbour.point3 default null, k harbour.knots default null, v varchar(3) default null, h harbour.hulls default null) returns json language sql stable as
  $$ select json_build_object('d', d, 'ts', ts, 'n', n, 'u', u, 'r', r, 'p', p, 'k', k, 'v', v, 'h', (h).label) $$;
create function harbour.of_view() returns setof harbour.hulls_joined language sql stable as $$ select * from harbour.hulls_joined $$;
create function harbour.of_annex() returns setof annex.items language sql stable as $$ select * from annex.items $$;
create function harbour.anything(anyelement) returns anyelement language sql immutable as $$ select $1 $$;
create function harbour.named_anything(x anyelement) returns anyelement language sql immutable as $$ select $1 $$;
create function harbour.own_path() returns text language sql stable set search_path = annex as $$ select current_setting('search_path') $$;
create function harbour.limit_me("limit" int, "select" text default 'd') returns text language sql immutable as $$ select "select" || "limit" $$;
create function harbour.settings() returns json language sql stable as $$ select json_build_object('method', current_setting('request.method', true), 'path', current_setting('request.path', true),
  'cookies', current_setting('request.cookies', true)::json, 'accept', current_setting('request.headers', true)::json->'accept', 'many', current_setting('request.headers', true)::json->'x-many', 'claims', current_setting('request.jwt.claims', true)::json->'role', 'search_path', current_setting('search_path')) $$;
create function harbour.raise_more(kind text) returns void language plpgsql as $$ begin
  case kind
    when 'no detail' then raise sqlstate 'PGRST' using message = '{"code":"X1","message":"m"}';
    when 'text status' then raise sqlstate 'PGRST' using message = '{"code":"X1","message":"m"}', detail = '{"status_text":"My Own","status":332,"headers":{"X-Tea":"a","X-Two":"b"}}';
    when 'no code' then raise sqlstate 'PGRST' using message = '{"message":"m"}', detail = '{"status":400,"headers":{}}';
    when 'null details' then raise sqlstate 'PGRST' using message = '{"code":"X","message":"m","details":null,"hint":null}', detail = '{"status":402,"headers":{}}';
    when 'location' then raise sqlstate 'PGRST' using message = '{"code":"X","message":"m"}', detail = '{"status":301,"headers":{"Location":"/elsewhere"}}';
    when 'pt' then raise sqlstate 'PT403' using message = 'Payment', detail = 'More', hint = 'Pay';
    when 'pt long' then raise sqlstate 'PT299' using message = 'fine';
    when 'plain' then raise exception 'just %', 'words' using detail = 'd', hint = 'h';
    when 'assert' then assert false, 'not so';
    when 'division' then perform 1 / 0;
    when 'null' then insert into harbour.crew values (99, null);
    when 'cast' then perform 'x'::int;
    when 'case' then case when false then null; end case;
    when 'notice' then raise notice 'only a notice'; raise warning 'and a warning';
    when 'column' then perform nope from harbour.crew;
    when 'function' then perform harbour.not_there();
  end case; end $$;
create function harbour.status_and_headers() returns void language plpgsql as $$ begin
  perform set_config('response.status', '202', true), set_config('response.headers', '[{"X-One": "1"}, {"X-One": "2"}, {"Content-Range": "mine"}]', true); end $$;

-- Pre-request functions, and a function in place of the OpenAPI description
create function harbour.before() returns void language plpgsql as $$
declare headers json := current_setting('request.headers', true)::json; begin
  if current_setting('request.path', true) = '/empty_table' then raise insufficient_privilege using message = 'not this one'; end if;
  if headers->>'x-refuse' is not null then raise sqlstate 'PT418' using message = headers->>'x-refuse', hint = 'ask for coffee'; end if;
  if headers->>'x-tea' is not null then perform set_config('response.headers', json_build_array(json_build_object('X-Tea', headers->>'x-tea'))::text, true); end if;
  if headers->>'x-status' is not null then perform set_config('response.status', headers->>'x-status', true); end if;
end $$;
create function harbour.root() returns json language sql stable as $$ select json_build_object('own', current_setting('request.path', true), 'role', current_user) $$;

-- Media types of every kind
create domain harbour."text/html" as text;
create domain harbour."application/octet-stream" as bytea;
create domain harbour."text/plain" as text;
create domain harbour."text/xml" as xml;
create domain harbour."*/*" as bytea;
create domain harbour."application/vnd.harbour.any" as text;
create function harbour.page() returns harbour."text/html" language sql immutable as $$ select '<p>hi</p>'::harbour."text/html" $$;
create function harbour.raw() returns harbour."application/octet-stream" language sql immutable as $$ select '\x00ff'::harbour."application/octet-stream" $$;
create function harbour.plain() returns harbour."text/plain" language sql immutable as $$ select 'plain'::harbour."text/plain" $$;
create function harbour.marked() returns harbour."text/xml" language sql immutable as $$ select '<a/>'::xml::harbour."text/xml" $$;
create function harbour.whatever() returns harbour."*/*" language plpgsql as $$ begin
  perform set_config('response.headers', '[{"Content-Type": "x/y"}]', true); return 'any'::bytea; end $$;
create function harbour.any_step(state text, item anyelement) returns text language sql immutable as $$ select state || coalesce(item::text, 'null') || ';' $$;
create function harbour.any_final(state text) returns harbour."application/vnd.harbour.any" language sql immutable as $$ select state::harbour."application/vnd.harbour.any" $$;
create aggregate harbour.any_list(anyelement) (sfunc = harbour.any_step, stype = text, initcond = '', finalfunc = harbour.any_final);
create function harbour.html_step(state text, item harbour.moulds) returns text language sql immutable as $$ select state || '<li>' || item.name || '</li>' $$;
create function harbour.html_final(state text) returns harbour."text/html" language sql immutable as $$ select ('<ul>' || state || '</ul>')::harbour."text/html" $$;
create aggregate harbour.html_list(harbour.moulds) (sfunc = harbour.html_step, stype = text, initcond = '', finalfunc = harbour.html_final);
create function harbour.star_step(state bytea, item harbour.docks) returns bytea language sql immutable as $$ select state || item.number::text::bytea $$;
create function harbour.star_final(state bytea) returns harbour."*/*" language sql immutable as $$ select state::harbour."*/*" $$;
create aggregate harbour.star_list(harbour.docks) (sfunc = harbour.star_step, stype = bytea, initcond = '', finalfunc = harbour.star_final);

-- A domain with its own representation, through a view and a key
create table harbour.labels (id int primary key, colour harbour.colour not null default 255, colours harbour.colour[], note text);
create view harbour.labels_view as select id, colour, note from harbour.labels;
create function harbour.get_labels() returns setof harbour.labels language sql stable as $$ select * from harbour.labels $$;

comment on table harbour.hulls is E'Hulls\n\nIn any state\nof repair';
comment on view harbour.hulls_joined is 'Joined';
comment on column harbour.hulls.label is E'Painted on\nthe bow';
comment on function harbour.pick(int) is E'Picks\nsomething';
comment on column harbour.hulls.mould_id is 'From which mould';

insert into harbour.docks values (1, 1, 5.5), (1, 2, 6), (2, 1, null);
insert into harbour.moulds values (1, 'oak'), (2, 'elm'), (3, null);
insert into harbour.hulls (id, yard, dock, spare_yard, spare_dock, mould_id, twin_id, label, flag, marks, codes, grades, spans, points, hours) values
  (1, 1, 1, 1, 2, 1, null, 'A1', 'GBR', '101', '1101', '{docked,planned}', '{"[1,2)","[3,4)"}', '{"(1,2,x)"}', '{{1,2},{3,4}}'),
  (2, 1, 2, null, null, 2, 1, 'B2', 'FRA', null, null, '{}', null, null, null), (3, null, null, 2, 1, null, null, null, null, null, null, null, null, null, null);
insert into harbour.welders values (1, 'Ann'), (2, 'Ben'), (3, 'Cat');
insert into harbour.shifts values (1, 1, '2024-01-01'), (1, 1, '2024-01-02'), (2, 1, '2024-01-01'), (1, 2, '2024-01-03');
insert into harbour.inspections values (3, 1, true), (3, 2, false);
insert into harbour.pairs_of_welders values (1, 2), (2, 3);
insert into harbour.loose_links values (1, 1, 1);
insert into harbour.plates (hull_id, weight, cut) values (1, 10.5, '2024-01-01'), (1, 2, '2024-01-02'), (2, 7, '2024-01-03');
insert into harbour.keyless values (1, 'x', '{"k": {"l": [1, {"m": "n"}]}, "a b": 1, "a.b": 2, "a->b": 3, "0": "zero", "quo\"te": 4}'), (2, null, null), (3, 'y', '[1, [2, 3], "4"]');
insert into harbour.upper_lower values (1, 2, 's', 3, 4, 5, 6, 'ж', 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
insert into harbour."таблица" values (1, 'Имя', 1), (2, 'Ещё', 2);
insert into harbour."with space" values (1, 'Jo');
insert into harbour."dash-ed" values (1, 'y');
insert into harbour.defaulted (id) values (1);
insert into harbour.stamped (id, body) values (1, 'b');
insert into harbour.tree values (1, null, 'root', 10), (2, 1, 'left', 5), (3, 1, 'right', 7), (4, 2, 'leaf', 1);
insert into harbour.parts values (1, 'a', 'bolt', 1), (2, 'b', 'nut', 2);
insert into harbour.part_orders values (1, 1, 'a'), (2, 2, 'b');
insert into harbour.labels values (1, 255, '{1,2}', 'n'), (2, 65280, null, null);
refresh materialized view harbour.moulds_stored;
refresh materialized view harbour.v_stored;
grant select on all tables in schema harbour, annex to anon, authenticated, service_role;
grant insert, update, delete on all tables in schema harbour, annex to authenticated, service_role;
grant usage on all sequences in schema harbour to authenticated, service_role;
-- As in the harbour.
revoke all on harbour.unreadable from anon, authenticated, service_role;
revoke select on harbour.licences from anon;
grant select (ship_id) on harbour.licences to anon;
analyze;
