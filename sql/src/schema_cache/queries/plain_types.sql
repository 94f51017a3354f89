-- Types that are not built in and whose JSON form is their text form in quotation marks: enums, and types of extensions that have no cast
-- to json. Each type is returned with its array type, or with 0 if the elements of the array are not separated by commas.
select json_build_array(t.oid::int8, case t.typdelim when ',' then t.typarray::int8 else 0 end)
from pg_type t
where t.oid >= 16384 and t.typtype in ('b', 'e', 'r', 'm') and t.typelem = 0
  and not exists (select from pg_cast c where c.castsource = t.oid and c.casttarget = 'json'::regtype)
