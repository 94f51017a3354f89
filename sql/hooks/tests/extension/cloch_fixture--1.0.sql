create function fixture_own(value text) returns text language sql as 'select value';
create table fixture_items (id int);
