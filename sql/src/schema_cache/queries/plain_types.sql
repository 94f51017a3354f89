-- The types whose JSON is their text in quotes, beyond the built-in ones: enums, and what extensions define without a cast to
-- json of their own. With the type of their arrays, where a comma stands between the elements.
select json_build_array(t.oid::int8, case t.typdelim when ',' then t.typarray::int8 else 0 end)
from pg_type t
where t.oid >= 16384 and t.typtype in ('b', 'e', 'r', 'm') and t.typelem = 0
  and not exists (select from pg_cast c where c.castsource = t.oid and c.casttarget = 'json'::regtype)
