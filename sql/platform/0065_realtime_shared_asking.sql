-- Asking what callers may see of changes, with less of PostgreSQL's time: callers share an answer when the policies cannot tell their
-- claims apart, statements stay prepared, and callers are rolled back one by one only where a policy could set something.

-- Changes whenever the policies of these tables, or what else cloch.policy_claims looks at, may have changed.
create or replace function cloch.policy_fingerprint(relations oid[]) returns text
language sql stable set search_path = '' as $$
  select md5(concat_ws(';',
    (select string_agg(concat_ws(' ', c.oid, c.relrowsecurity, p.oid, p.xmin), ',' order by c.oid, p.oid)
       from pg_catalog.pg_class as c left join pg_catalog.pg_policy as p on p.polrelid = c.oid
      where c.oid = any (relations)),
    (select string_agg(concat_ws(' ', p.oid, p.xmin), ',' order by p.oid) from pg_catalog.pg_proc as p
      where p.proname in ('uid', 'role', 'email', 'jwt') and p.pronamespace = to_regnamespace('auth'))));
$$;

-- The claims of a caller by which the policies for reading a table can tell callers apart, beside the role. Null if that may be any claim,
-- and what is set for one caller may reach the next: the policies contain something that is not on the list below, such as a function of
-- the project. Policies of the tables that a policy reads count as well: `relations` are all whose policies were looked at. The answer
-- holds as long as cloch.policy_fingerprint of those is `fingerprint`.
create or replace function cloch.policy_claims(relation oid, out claims text[], out relations oid[], out fingerprint text)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_variable
declare
  -- Functions of auth and the claim that each reads; auth.jwt() reads the one that `->` or `->>` takes of it. By the catalog: the login may
  -- have no right to the schema. A project may have put others in their place: only those with the usual body count.
  readers jsonb := (
    select coalesce(jsonb_object_agg(p.oid, r.claim), '{}')
      from (values ('uid', 'sub', 'uuid'), ('role', 'role', 'text'), ('email', 'email', 'text')) as r (name, claim, type)
      join pg_catalog.pg_proc as p on p.proname = r.name and p.pronargs = 0 and p.pronamespace = to_regnamespace('auth')
     where regexp_replace(p.prosrc, '[\s();'']', '', 'g') = format(
             'selectcoalescenullifcurrent_settingrequest.jwt.claim.%1$s,true,,nullifcurrent_settingrequest.jwt.claims,true,::jsonb->>%1$s::%2$s',
             r.claim, r.type));
  jwt text := coalesce((
    select p.oid::text from pg_catalog.pg_proc as p
     where p.proname = 'jwt' and p.pronargs = 0 and p.pronamespace = to_regnamespace('auth')
       and regexp_replace(p.prosrc, '[\s();'']', '', 'g')
           = 'selectcoalescenullifcurrent_settingrequest.jwt.claim,true,,nullifcurrent_settingrequest.jwt.claims,true,::jsonb'), '0');
  next oid[] := array[relation];
  read text[] := '{}';
  tree text;
  match text[];
begin
  relations := '{}';
  <<following>>
  while cardinality(next) > 0 loop
    relations := relations || next;
    fingerprint := cloch.policy_fingerprint(relations);
    select string_agg(p.polqual::text, ' ') into tree
      from pg_catalog.pg_policy as p join pg_catalog.pg_class as c on c.oid = p.polrelid
     where p.polrelid = any (next) and p.polcmd in ('r', '*') and p.polqual is not null
       and (c.relrowsecurity or c.oid = relation);
    exit following when tree is null;

    -- `(select auth.uid())` says what auth.uid() says.
    tree := regexp_replace(tree,
      '\{SUBLINK :subLinkType 4 [^{}]*:subselect \{QUERY (?:[^{}]|\{FROMEXPR :fromlist <> :quals <>\})*:targetList \(\{TARGETENTRY :expr (\{FUNCEXPR [^{}]*\}) [^{}]*\}\)(?:[^{}]|\{FROMEXPR :fromlist <> :quals <>\})*\}[^{}]*\}',
      '\1', 'g');
    -- auth.jwt() -> 'name', auth.jwt() ->> 'name'; a text is written as its bytes behind a head of four.
    for match in
      select regexp_matches(tree, '\{OPEXPR :opno (?:3211|3477) [^{}]*:args \(\{FUNCEXPR :funcid ' || jwt || ' [^{}]*\} \{CONST :consttype 25 [^{}]*:constvalue \d+ \[ ((?:-?\d+ )+)\]\}\)', 'g')
    loop
      read := read || (select convert_from(string_agg(set_byte('\x00', 0, (b.byte::int + 256) % 256), '' order by b.at), 'UTF8')
                             from regexp_split_to_table(trim(match[1]), ' ') with ordinality as b (byte, at) where b.at > 4);
    end loop;
    tree := regexp_replace(tree, '\{FUNCEXPR :funcid ' || jwt || ' ([^{}]*\} \{CONST :consttype 25 [^{}]*:constvalue \d+ \[ (?:-?\d+ )+\]\}\))', '{CLAIM \1', 'g');

    for match in select distinct regexp_matches(tree, '\{([A-Z_]+)', 'g') loop
      if match[1] not in ('CLAIM', 'FUNCEXPR', 'VAR', 'CONST', 'OPEXPR', 'BOOLEXPR', 'NULLTEST', 'BOOLEANTEST', 'RELABELTYPE',
                          'SCALARARRAYOPEXPR', 'ARRAY', 'ARRAYEXPR', 'CASE', 'CASEEXPR', 'WHEN', 'CASEWHEN', 'COALESCE', 'COALESCEEXPR',
                          'DISTINCTEXPR', 'COERCEVIAIO', 'SUBLINK', 'QUERY', 'FROMEXPR', 'TARGETENTRY', 'ALIAS', 'EREF',
                          'RTE', 'RANGETBLENTRY', 'RANGETBLREF', 'JOINEXPR', 'RTEPERMISSIONINFO', 'PARAM', 'AGGREF', 'SQLVALUEFUNCTION') then
        return;
      end if;
    end loop;
    -- A function of PostgreSQL that is immutable reads no setting; 1299 is now().
    for match in select distinct regexp_matches(tree, '\{FUNCEXPR :funcid (\d+) ', 'g') loop
      if readers ? match[1] then
        read := read || (readers ->> match[1]);
      elsif match[1]::bigint >= 16384 or not exists (
          select from pg_catalog.pg_proc as p where p.oid = match[1]::oid and (p.provolatile = 'i' or p.oid = 1299)) then
        return;
      end if;
    end loop;
    -- Operators and types that somebody created (their ids begin at 16384) may run any function.
    if exists (select from regexp_matches(tree, ':(?:opno|opfuncid|aggfnoid|resulttype) (\d+)', 'g') as m where m[1]::bigint >= 16384) then
      return;
    end if;
    -- What a policy reads: tables only, whose own policies apply too. Views may run any function.
    next := array(select distinct m[1]::oid from regexp_matches(tree, ':relid (\d+)', 'g') as m
                   where m[1] <> '0' and m[1]::oid <> all (relations));
    if exists (select from unnest(next) as r (id) where not exists (
         select from pg_catalog.pg_class as c where c.oid = r.id and c.relkind in ('r', 'p'))) then
      return;
    end if;
  end loop;
  claims := array(select distinct r.name from unnest(read) as r (name) order by r.name);
end;
$$;

-- As in 0041, with statements that stay prepared: what each role may read of a table, and rows of it as JSON as that role reads them. `rows`
-- is an array of objects with the text of each column; the same number of texts comes back.
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
  prepared text;
begin
  row_security := (select c.relrowsecurity from pg_catalog.pg_class as c where c.oid = relation);
  foreach role in array roles loop
    columns := null; filters_rows := null; may_see_rows := null; records := null; failure := null; message := null;
    begin
      perform set_config('request.jwt.claims', json_build_object('role', role)::text, true),
              set_config('request.jwt.claim.role', role, true), set_config('role', role, true);
      select coalesce(array_agg(a.attnum), '{}'),
             string_agg(format('case when e.r ? %L then to_jsonb((e.r ->> %L)::%s) end as %I',
               a.attname, a.attname, format_type(a.atttypid, a.atttypmod), a.attname), ', ' order by a.attnum)
        into columns, statement
        from pg_catalog.pg_attribute as a
       where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
         and has_column_privilege(relation, a.attnum, 'select');
      filters_rows := row_security_active(relation);
      -- Policies can be asked about existing rows only. As upstream, the key of a deleted row is shown to every role that
      -- some policy lets read some row.
      may_see_rows := not filters_rows or exists (
        select from pg_catalog.pg_policy as p, unnest(p.polroles) as member
         where p.polrelid = relation and p.polpermissive and p.polcmd in ('r', '*')
           and (member = 0 or pg_has_role(member, 'usage')));
      if may_see_rows and cardinality(columns) > 0 then
        prepared := 'cloch_records_' || relation || '_' || left(md5(role || statement), 12);
        begin
          execute format('execute %I (%L)', prepared, rows) into records;
        exception when invalid_sql_statement_name then
          execute format(
            'prepare %I (jsonb) as
             select array_agg((select to_jsonb(x)::text from (select %s) as x) order by e.at)
               from jsonb_array_elements($1) with ordinality as e (r, at)', prepared, statement);
          execute format('execute %I (%L)', prepared, rows) into records;
        end;
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

revoke execute on function cloch.policy_fingerprint(oid[]), cloch.policy_claims(oid),
  cloch.visible_rows(oid, text[], text[], text[], text[], text[], interval, boolean) from public;
grant execute on function cloch.policy_fingerprint(oid[]), cloch.policy_claims(oid),
  cloch.visible_rows(oid, text[], text[], text[], text[], text[], interval, boolean) to authenticator;
