-- Which rows of a table callers see, by the table's policies. `keys` are the texts of the primary keys, one after another. `wanted` has for
-- each caller the positions of keys that it asks for, from zero and with commas between. An answer holds for `member`, a position of a caller
-- from one. `visible` lists positions of keys; it is null where the asking failed. Callers without an answer were not asked: `budget` was
-- used up, or the statement's timeout ended the last. The first is always asked.
-- With `sets_nothing` the policies are known to set nothing that could reach the next caller (cloch.policy_claims is not null): all are
-- rolled back together, until one fails. Otherwise, and from then on, each caller's part is rolled back.
create or replace function cloch.visible_rows(
  relation oid, keys text[], roles text[], subs text[], claims text[], wanted text[], budget interval, sets_nothing boolean)
returns table (member int, visible int[], failure text, message text, microseconds bigint)
language plpgsql set search_path = public, extensions as $$
#variable_conflict use_column
declare
  statement text;
  prepared text;
  command text;
  ignored text;
  begun timestamptz;
  moment timestamptz;
  last_role text := '';
begin
  -- OFFSET keeps PostgreSQL from reading the whole table once instead, for which it would ask the policies of every row.
  -- The planner expects as much of any text, so that it keeps one plan for all.
  select format('select coalesce(array_agg(k.at::int), ''{}'') from string_to_table($2, '','') as k (at)
                  where exists (select from %s.%I as t where %s offset 0)',
           c.relnamespace::regnamespace, c.relname,
           (select string_agg(format('t.%I = $1[k.at::int * %s + %s]::%s', a.attname, a.columns, a.at, format_type(a.atttypid, a.atttypmod)), ' and ')
              from (select *, row_number() over (order by attnum) as at, count(*) over () as columns
                      from pg_catalog.pg_attribute
                     where attrelid = relation
                       and attnum = any ((select i.indkey::int2[] from pg_catalog.pg_index as i where i.indrelid = relation and i.indisprimary)::int2[])) as a))
    into statement
    from pg_catalog.pg_class as c where c.oid = relation;
  member := 1;
  begun := clock_timestamp();
  moment := begun;

  if sets_nothing then
    begin
      while member <= cardinality(roles) loop
        exit when member > 1 and moment > begun + budget;
        if last_role <> roles[member] then
          -- A plan holds for one role.
          last_role := roles[member];
          prepared := 'cloch_visible_' || relation || '_' || left(md5(last_role || statement), 12);
          command := format('execute %I (%L, ', prepared, keys);
          ignored := set_config('request.jwt.claim.role', last_role, true);
          ignored := set_config('role', last_role, true);
        end if;
        ignored := set_config('request.jwt.claims', claims[member], true);
        ignored := set_config('request.jwt.claim.sub', subs[member], true);
        execute command || quote_literal(wanted[member]) || ')' into visible;
        microseconds := extract(epoch from clock_timestamp() - moment) * 1000000;
        moment := clock_timestamp();
        return next;
        member := member + 1;
      end loop;
      raise exception using errcode = 'CLOCH';
    exception
      when sqlstate 'CLOCH' then return;
      when query_canceled then
        visible := null; failure := sqlstate; message := sqlerrm;
        microseconds := extract(epoch from clock_timestamp() - moment) * 1000000;
        return next;
        return;
      when others then
        -- Also where the statement is not prepared yet. It is asked again.
        last_role := '';
    end;
  end if;

  while member <= cardinality(roles) loop
    moment := clock_timestamp();
    exit when member > 1 and moment > begun + budget;
    visible := null; failure := null; message := null;
    begin
      ignored := set_config('request.jwt.claims', claims[member], true);
      ignored := set_config('request.jwt.claim.sub', subs[member], true);
      ignored := set_config('request.jwt.claim.role', roles[member], true);
      ignored := set_config('role', roles[member], true);
      if last_role <> roles[member] then
        prepared := 'cloch_visible_' || relation || '_' || left(md5(roles[member] || statement), 12);
        command := format('execute %I (%L, ', prepared, keys);
        if not exists (select from pg_catalog.pg_prepared_statements as p where p.name = prepared) then
          execute format('prepare %I (text[], text) as %s', prepared, statement);
        end if;
        last_role := roles[member];
      end if;
      execute command || quote_literal(wanted[member]) || ')' into visible;
      raise exception using errcode = 'CLOCH';
    exception
      when sqlstate 'CLOCH' then null;
      when query_canceled or others then
        visible := null; failure := sqlstate; message := sqlerrm;
    end;
    microseconds := extract(epoch from clock_timestamp() - moment) * 1000000;
    return next;
    -- The timeout ends one caller's asking; the statement has none from then on.
    exit when failure = '57014';
    member := member + 1;
  end loop;
end;
$$;
revoke execute on function cloch.visible_rows(oid, text[], text[], text[], text[], text[], interval, boolean) from public;
grant execute on function cloch.visible_rows(oid, text[], text[], text[], text[], text[], interval, boolean) to authenticator;
