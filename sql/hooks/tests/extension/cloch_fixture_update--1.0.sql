create table fixture_rows (id int);
grant all on fixture_rows to postgres;
