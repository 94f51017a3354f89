-- For databases that were created with the 63 numbered files of an older program. Empties the table of applied files; the program then
-- fills it with the tables files that replace the numbered files. Drops the functions that no file defines now.
delete from cloch.platform_migrations;

drop function if exists cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval);
drop function if exists cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval, text);
drop function if exists cloch.policy_reach(oid);
drop function if exists cloch.take_visitor_rows(text, int, int);
