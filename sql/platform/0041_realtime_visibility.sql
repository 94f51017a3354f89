-- What callers may see of changes of a table: asked once for a batch of changes and all of its callers.

-- Which claims of a caller the policies for reading a table can tell apart, beside the role: 'role' for none, 'sub' for the
-- user's id alone, 'claims' for any. The nodes of the policies' expressions are compared with a list: whatever is not on it,
-- such as a function or another table, may look at every claim.
create or replace function cloch.policy_reach(relation oid) returns text
language plpgsql stable set search_path = '' as $$
declare
  -- From the catalog: the login may have no right to the schema.
  uid oid := (select p.oid from pg_catalog.pg_proc as p join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
               where n.nspname = 'auth' and p.proname = 'uid' and p.pronargs = 0);
  role oid := (select p.oid from pg_catalog.pg_proc as p join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
                where n.nspname = 'auth' and p.proname = 'role' and p.pronargs = 0);
  trees text[];
  node text;
  number bigint;
begin
  select coalesce(array_agg(regexp_replace(regexp_replace(
           p.polqual::text,
           '\{FUNCEXPR :funcid ' || coalesce(uid, 0) || ' ', '{UID ', 'g'),
           '\{FUNCEXPR :funcid ' || coalesce(role, 0) || ' ', '{ROLE ', 'g')), '{}') into trees
    from pg_catalog.pg_policy as p
   where p.polrelid = relation and p.polcmd in ('r', '*') and p.polqual is not null;
  for node in select distinct m[1] from unnest(trees) as t (tree), regexp_matches(t.tree, '\{([A-Z_]+)', 'g') as m loop
    if node not in ('UID', 'ROLE', 'VAR', 'CONST', 'OPEXPR', 'BOOLEXPR', 'NULLTEST', 'BOOLEANTEST', 'RELABELTYPE',
                    'SCALARARRAYOPEXPR', 'ARRAY', 'ARRAYEXPR', 'CASE', 'CASEEXPR', 'WHEN', 'CASEWHEN', 'COALESCE',
                    'COALESCEEXPR', 'DISTINCTEXPR', 'COERCEVIAIO', 'SUBLINK', 'QUERY', 'FROMEXPR', 'TARGETENTRY') then
      return 'claims';
    end if;
  end loop;
  -- Operators and types that somebody created (their ids begin at 16384) may run any function.
  for number in
    select distinct m[1]::bigint from unnest(trees) as t (tree),
           regexp_matches(t.tree, ':(?:opno|opfuncid|resulttype) (\d+)', 'g') as m
  loop
    if number >= 16384 then
      return 'claims';
    end if;
  end loop;
  return case when exists (select from unnest(trees) as t (tree) where t.tree like '%{UID %') then 'sub' else 'role' end;
end;
$$;

-- What each role may read of a table, and rows of it as JSON as that role reads them. `rows` is an array of objects with the
-- text of each column; the same number of texts comes back.
-- Each role's part is rolled back: nothing that it sets reaches the next.
create or replace function cloch.changed_records(relation oid, roles text[], rows jsonb)
returns table (
  role text, columns smallint[], row_security boolean, filters_rows boolean, may_see_rows boolean, records text[],
  failure text, message text)
-- The path of requests: functions that policies call may name the project's tables without their schema.
language plpgsql set search_path = public, extensions as $$
#variable_conflict use_column
declare
  statement text;
begin
  row_security := (select c.relrowsecurity from pg_catalog.pg_class as c where c.oid = relation);
  foreach role in array roles loop
    columns := null; filters_rows := null; may_see_rows := null; records := null; failure := null; message := null;
    begin
      perform set_config('request.jwt.claims', json_build_object('role', role)::text, true),
              set_config('request.jwt.claim.role', role, true), set_config('role', role, true);
      select coalesce(array_agg(a.attnum) filter (where has_column_privilege(relation, a.attnum, 'select')), '{}'),
             format('select array_agg((select to_jsonb(x)::text from (select %s) as x) order by e.at)
                       from jsonb_array_elements($1) with ordinality as e (r, at)',
               string_agg(format('case when e.r ? %L then to_jsonb((e.r ->> %L)::%s) end as %I',
                 a.attname, a.attname, format_type(a.atttypid, a.atttypmod), a.attname), ', ' order by a.attnum)
                 filter (where has_column_privilege(relation, a.attnum, 'select')))
        into columns, statement
        from pg_catalog.pg_attribute as a
       where a.attrelid = relation and a.attnum > 0 and not a.attisdropped;
      filters_rows := row_security_active(relation);
      -- Policies can be asked about existing rows only. As upstream, the key of a deleted row is shown to every role that
      -- some policy lets read some row.
      may_see_rows := not filters_rows or exists (
        select from pg_catalog.pg_policy as p, unnest(p.polroles) as member
         where p.polrelid = relation and p.polpermissive and p.polcmd in ('r', '*')
           and (member = 0 or pg_has_role(member, 'usage')));
      if may_see_rows and cardinality(columns) > 0 then
        execute statement into records using rows;
      end if;
      raise exception using errcode = 'CLOCH';
    exception
      when sqlstate 'CLOCH' then null;
      when query_canceled or others then
        records := null; failure := sqlstate; message := sqlerrm;
    end;
    return next;
  end loop;
end;
$$;

-- Which rows of a table callers see, by the table's policies. `keys` is an array of primary keys (arrays of texts), `wanted`
-- has for each caller the positions in it that he asks for, from zero. An answer holds for `members`, positions of callers
-- from one: those that the policies cannot tell apart share it. `visible` lists positions of keys; it is null where the
-- asking failed. Callers without an answer were not asked: `budget` was used up, or the statement's timeout ended the last.
-- Each caller's part is rolled back: nothing that a policy sets reaches the next caller.
create or replace function cloch.visible_changes(
  relation oid, keys jsonb, roles text[], subs text[], claims text[], wanted jsonb, budget interval)
returns table (members int[], visible int[], failure text, message text, microseconds bigint)
language plpgsql set search_path = public, extensions as $$
#variable_conflict use_column
declare
  reach text := cloch.policy_reach(relation);
  begun timestamptz := clock_timestamp();
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

revoke execute on function cloch.policy_reach(oid), cloch.changed_records(oid, text[], jsonb),
  cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval) from public;
grant execute on function cloch.policy_reach(oid), cloch.changed_records(oid, text[], jsonb),
  cloch.visible_changes(oid, jsonb, text[], text[], text[], jsonb, interval) to authenticator;
