create function listed_own() returns int language sql as 'select 1';
