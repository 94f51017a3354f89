create function fixture_own(value text) returns text language sql as 'select value';
create table fixture_items (id int);
-- A function of the same name with an argument of type varchar would be a better match.
do $$ begin perform fixture_own('x'::varchar); end $$;
