-- What every table of schema public gets: closed to visitors, policies for admins and
-- judges, and the triggers that stamp and log a change. A migration calls
-- club.register_table for each table that it makes; access.md shows what comes of it.

-- Two people at one record: the client sends the updated_at it has read, and a
-- stale one matches nothing. The clock, not the transaction's start: two changes
-- in one transaction differ.
create function club.touch() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end;
$$;

-- Switches row security on, with two policies: the admins' own, and the restrictive
-- one by which a judge's token ends with the password, whatever is opened to judges
-- later. Admins do everything, or only read where `read_only_policy` names the policy
-- that says so: the server writes such a table. Rows with updated_at are stamped and
-- logged; rows without it are never changed.
create function club.register_table(target regclass, read_only_policy text default null) returns void
language plpgsql set search_path = '' as $$
declare
  identifying_column name;
begin
  execute format('alter table %s enable row level security', target);
  execute format('revoke all on %s from public, anon, authenticated', target);
  execute format(
    'create policy "A judge''s token ends with the password" on %s as restrictive for all to judge
       using ((select club.judge_is_current())) with check ((select club.judge_is_current()))', target);
  if read_only_policy is null then
    execute format('grant select, insert, update, delete on %s to authenticated', target);
    execute format(
      'create policy "Admins do everything" on %s for all to authenticated
         using ((select club.is_admin())) with check ((select club.is_admin()))', target);
  else
    execute format('grant select on %s to authenticated', target);
    execute format(
      'create policy %I on %s for select to authenticated using ((select club.is_admin()))',
      read_only_policy, target);
  end if;

  if exists (select from pg_catalog.pg_attribute where attrelid = target and attname = 'updated_at') then
    -- The log names a record by the first column of its primary key.
    select a.attname into strict identifying_column
      from pg_catalog.pg_index as i
      join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indrelid = target and i.indisprimary;
    execute format(
      'create trigger touch before update on %s for each row execute function club.touch()', target);
    execute format(
      'create trigger audit after insert or update or delete on %s
         for each row execute function club.audit(%L)', target, identifying_column);
  end if;
end;
$$;

select club.register_table('public.user_roles');
select club.register_table('public.audit_log', read_only_policy => 'Admins read the log');
revoke insert, update, delete, truncate on public.audit_log from service_role;

create policy "A judge's token ends with the password" on storage.objects
  as restrictive for all to judge
  using ((select club.judge_is_current())) with check ((select club.judge_is_current()));
create policy "A judge's token ends with the password" on storage.buckets
  as restrictive for all to judge
  using ((select club.judge_is_current())) with check ((select club.judge_is_current()));
