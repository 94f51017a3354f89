-- Tests that every change of a record sets updated_at and is logged. An update whose condition contains an old updated_at changes nothing.
select expect.caller('admin');
create temporary table seen as select id, updated_at from public.invited_guests where name = 'Tom Galbraith';

select expect.affected('update public.invited_guests as g set status = ''accepted'' from seen where g.id = seen.id and g.updated_at = seen.updated_at', 1);
select expect.affected('update public.invited_guests as g set status = ''declined'' from seen where g.id = seen.id and g.updated_at = seen.updated_at', 0);
select expect.value('select status from public.invited_guests join seen using (id)', 'accepted');

select expect.value($$select action || ' ' || actor_email || ' ' || actor_role || ' ' || changes::text from public.audit_log join seen on record_id = seen.id$$,
  'update admin@example.org authenticated {"status": {"to": "accepted", "from": "invited"}}');
select expect.affected('delete from public.invited_guests as g using seen where g.id = seen.id', 1);
select expect.value($$select changes -> 'name' ->> 'from' from public.audit_log join seen on record_id = seen.id where action = 'delete'$$, 'Tom Galbraith');

-- Only triggers can write to the audit log.
select expect.refused('insert into public.audit_log (table_name, record_id, action, actor_role) values (''x'', gen_random_uuid(), ''insert'', ''x'')', '42501');
select expect.refused('update public.audit_log set actor_email = ''x''', '42501');
select expect.refused('delete from public.audit_log', '42501');
select expect.caller('service_role');
select expect.refused('delete from public.audit_log', '42501');
select expect.caller('stranger');
select expect.value('select count(*) from public.audit_log', '0');

-- Every table has the column updated_at, row-level security and both triggers, except some tables. For example, a table of links already
-- records who created and ended each link. The audit log does not repeat for whom a link was created.
select expect.caller('owner');
select expect.value($$
  select string_agg(c.relname, ', ' order by c.relname) from pg_class as c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname not in ('audit_log', 'guest_letters', 'late_links', 'entry_links', 'entry_mails', 'reminders')
     and (not c.relrowsecurity
       or not exists (select from pg_attribute as a where a.attrelid = c.oid and a.attname = 'updated_at' and a.attnotnull)
       or not exists (select from pg_trigger as t where t.tgrelid = c.oid and t.tgname = 'touch')
       or not exists (select from pg_trigger as t where t.tgrelid = c.oid and t.tgname = 'audit'))
$$, null);

-- Every security definer function has a fixed search path, and every view uses the rights of its caller.
select expect.value($$
  select string_agg(p.oid::regprocedure::text, ', ') from pg_proc as p
   where p.pronamespace in ('public'::regnamespace, 'club'::regnamespace) and p.prosecdef
     and not coalesce('search_path=""' = any (p.proconfig), false)
$$, null);
select expect.value($$
  select string_agg(c.oid::regclass::text, ', ') from pg_class as c
   where c.relnamespace in ('public'::regnamespace, 'club'::regnamespace) and c.relkind in ('v', 'm')
     and not coalesce('security_invoker=true' = any (c.reloptions), false)
$$, null);
