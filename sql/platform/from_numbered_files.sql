-- Turns the record of the 63 numbered files into an empty one, which the program fills with the tables files that stand for them, and drops
-- the functions that no file defines any more.
delete from cloch.platform_migrations;

drop function if exists cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval);
drop function if exists cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval, text);
drop function if exists cloch.policy_reach(oid);
drop function if exists cloch.take_visitor_rows(text, int, int);
