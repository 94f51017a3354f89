-- Returns which rows of a table each caller may see by the table's policies, for realtime's Postgres Changes. Arguments:
-- * `keys`: primary keys of the rows as texts: the values of all key columns of the first row, then of the second row, and so on.
-- * `roles`, `subs`, `claims`: role, claim `sub` and all claims (as JSON) of each caller.
-- * `wanted`: for each caller, the numbers of the rows to check, counted from 0 and separated by commas.
-- * `budget`: time after which no further caller is checked. The first caller is always checked.
-- * `sets_nothing`: whether the policies are known to set nothing that affects the next caller (cloch.policy_claims.claims is not null). If
--   true, callers are checked in one subtransaction until a check fails. Otherwise, and after a failure, each caller has a subtransaction
--   of its own.
--
-- The result has one row for each checked caller:
-- * `member`: position of the caller, counted from 1.
-- * `visible`: numbers of the visible rows; null if the check failed.
-- * `failure` and `message`: SQLSTATE and message of the error.
-- * `microseconds`: duration of the check.
--
-- If a caller has no row, the caller was not checked, because the budget was used up or the statement timeout ended the last check.
-- Callable by authenticator.
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
  -- OFFSET 0 makes PostgreSQL look up each row by its key. Without it, PostgreSQL might read the whole table and evaluate the policies for
  -- every row. The planner assumes the same number of positions for each text, so one plan can be used for all calls.
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
          -- A prepared statement is planned for one role.
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
        -- The reason for the error may only be that the statement is not prepared yet. Therefore the caller is checked again below.
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
    -- The statement timeout (57014) occurs only once in a statement. Further checks would have no timeout, so no further caller is checked.
    exit when failure = '57014';
    member := member + 1;
  end loop;
end;
$$;
revoke execute on function cloch.visible_rows(oid, text[], text[], text[], text[], text[], interval, boolean) from public;
grant execute on function cloch.visible_rows(oid, text[], text[], text[], text[], text[], interval, boolean) to authenticator;
