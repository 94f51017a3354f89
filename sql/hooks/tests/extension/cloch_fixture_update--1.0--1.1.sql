insert into fixture_rows values (1);
