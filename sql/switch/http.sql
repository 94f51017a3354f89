create schema cloch_stand_in;
do $$
declare
  object record;
begin
  for object in
    select p.oid::regprocedure as signature
      from pg_catalog.pg_proc as p
     where p.pronamespace = 'extensions'::regnamespace and (p.proname = 'http' or p.proname like 'http\_%')
       and not exists (select from pg_catalog.pg_depend where objid = p.oid and deptype = 'e')
  loop
    execute format('alter function %s set schema cloch_stand_in', object.signature);
  end loop;
end;
$$;
alter type extensions.http_response set schema cloch_stand_in;
alter type extensions.http_request set schema cloch_stand_in;
alter type extensions.http_header set schema cloch_stand_in;
alter domain extensions.http_method set schema cloch_stand_in;
create extension http with schema extensions;
