-- In place of cloch.visible_changes of 0041, with what cloch.policy_reach says as an argument: it takes longer than most policies, and the
-- time that callers are given is not spent on it. The first caller is always asked.
create or replace function cloch.visible_changes(
  relation oid, keys jsonb, roles text[], subs text[], claims text[], wanted jsonb, budget interval, reach text)
returns table (members int[], visible int[], failure text, message text, microseconds bigint)
language plpgsql set search_path = public, extensions as $$
#variable_conflict use_column
declare
  begun timestamptz;
  moment timestamptz;
  statement text;
  prepared text;
  asked record;
begin
  -- OFFSET keeps PostgreSQL from reading the whole table once instead, for which it would ask the policies of every row.
  select format('select coalesce(array_agg(k.at::int - 1), ''{}'')
                   from jsonb_array_elements($1) with ordinality as k (cells, at)
                  where ($2 is null or $2 @> to_jsonb(k.at - 1)) and exists (select from %I.%I as t where %s offset 0)',
           n.nspname, c.relname,
           string_agg(format('t.%I = (k.cells ->> %s)::%s', a.attname, p.at - 1, format_type(a.atttypid, a.atttypmod)),
             ' and ' order by p.at))
    into statement
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    join pg_catalog.pg_index as i on i.indrelid = c.oid and i.indisprimary
    cross join lateral (
      select number, row_number() over (order by number) as at from unnest(i.indkey::int2[]) as number) as p
    join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum = p.number
   where c.oid = relation
   group by n.nspname, c.relname;

  -- Prepared once in a session: PostgreSQL plans it again only for another role, or after a change of the table.
  prepared := 'cloch_visible_' || relation || '_' || left(md5(statement), 8);
  begun := clock_timestamp();
  for asked in
    select c.role, (array_agg(c.sub))[1] as sub, (array_agg(c.claims))[1] as claims, array_agg(c.at::int) as members,
           case when count(*) = 1 then (jsonb_agg(wanted -> (c.at::int - 1))) -> 0 end as wanted
      from unnest(roles, subs, claims) with ordinality as c (role, sub, claims, at)
     group by c.role,
              case reach when 'role' then '' when 'sub' then c.sub else c.claims end
     order by min(c.at)
  loop
    moment := clock_timestamp();
    exit when moment > begun + budget;
    members := asked.members; visible := null; failure := null; message := null;
    begin
      perform set_config('request.jwt.claims', asked.claims, true), set_config('request.jwt.claim.sub', asked.sub, true),
              set_config('request.jwt.claim.role', asked.role, true), set_config('role', asked.role, true);
      if not exists (select from pg_catalog.pg_prepared_statements as p where p.name = prepared) then
        execute format('prepare %I (jsonb, jsonb) as %s', prepared, statement);
      end if;
      execute format('execute %I (%L, %L)', prepared, keys, asked.wanted) into visible;
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
  end loop;
end;
$$;

revoke execute on function cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval, text) from public;
grant execute on function cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval, text) to authenticator;

-- Nodes of an earlier version call it so, until they are replaced.
create or replace function cloch.visible_changes(
  relation oid, keys jsonb, roles text[], subs text[], claims text[], wanted jsonb, budget interval)
returns table (members int[], visible int[], failure text, message text, microseconds bigint)
language sql set search_path = '' as $$
  select * from cloch.visible_changes(relation, keys, roles, subs, claims, wanted, budget, cloch.policy_reach(relation))
$$;
