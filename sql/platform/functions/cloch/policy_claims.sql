-- Returns the claims by which the SELECT policies of a table can distinguish callers of the same role. Callers of the same role with equal
-- claims get the same rows, so realtime checks the policies once for all of them.
-- * `claims`: names of the claims. Null if the policies contain an expression that is not in the list below, such as a function of the
--   project. Such policies may read any claim, or may set something that affects the next caller.
-- * `relations`: OIDs of the table and of all tables that its policies read, because the policies of these tables apply as well.
-- * `fingerprint`: the result is valid as long as cloch.policy_fingerprint(relations) returns this text.
--
-- Callable by authenticator.
create or replace function cloch.policy_claims(relation oid, out claims text[], out relations oid[], out fingerprint text)
language plpgsql stable set search_path = 'pg_catalog', 'pg_temp' as $$
#variable_conflict use_variable
declare
  -- OIDs of auth.uid(), auth.role() and auth.email(), each with the claim that the function reads. auth.jwt() is handled separately,
  -- because the claim is the one that `->` or `->>` selects. The functions are looked up in the catalog, because the login may have no
  -- right to schema auth. Only functions with the usual body are used, because a project may have replaced a function.
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

    -- `(select auth.uid())` is replaced by auth.uid(), which has the same value.
    tree := regexp_replace(tree,
      '\{SUBLINK :subLinkType 4 [^{}]*:subselect \{QUERY (?:[^{}]|\{FROMEXPR :fromlist <> :quals <>\})*:targetList \(\{TARGETENTRY :expr (\{FUNCEXPR [^{}]*\}) [^{}]*\}\)(?:[^{}]|\{FROMEXPR :fromlist <> :quals <>\})*\}[^{}]*\}',
      '\1', 'g');
    -- Collects the claims of auth.jwt() -> 'name' and auth.jwt() ->> 'name'. In the node tree, a text is stored as its bytes, after a
    -- header of four bytes.
    for match in
      select regexp_matches(tree, '\{OPEXPR :opno (?:3211|3477) [^{}]*:args \(\{FUNCEXPR :funcid ' || jwt || ' [^{}]*\} \{CONST :consttype 25 [^{}]*:constvalue \d+ \[ ((?:-?\d+ )+)\]\}\)', 'g')
    loop
      read := read || (select convert_from(string_agg(set_byte('\x00', 0, (b.byte::int + 256) % 256), '' order by b.at), 'UTF8')
                             from regexp_split_to_table(trim(match[1]), ' ') with ordinality as b (byte, at) where b.at > 4);
    end loop;
    -- Marks the calls of auth.jwt() whose claim was collected. Otherwise they would count as calls of an unknown function.
    tree := regexp_replace(tree, '\{FUNCEXPR :funcid ' || jwt || ' ([^{}]*\} \{CONST :consttype 25 [^{}]*:constvalue \d+ \[ (?:-?\d+ )+\]\}\))', '{CLAIM \1', 'g');

    for match in select distinct regexp_matches(tree, '\{([A-Z_]+)', 'g') loop
      if match[1] not in ('CLAIM', 'FUNCEXPR', 'VAR', 'CONST', 'OPEXPR', 'BOOLEXPR', 'NULLTEST', 'BOOLEANTEST', 'RELABELTYPE',
                          'SCALARARRAYOPEXPR', 'ARRAY', 'ARRAYEXPR', 'CASE', 'CASEEXPR', 'WHEN', 'CASEWHEN', 'COALESCE', 'COALESCEEXPR',
                          'DISTINCTEXPR', 'COERCEVIAIO', 'SUBLINK', 'QUERY', 'FROMEXPR', 'TARGETENTRY', 'ALIAS', 'EREF',
                          'RTE', 'RANGETBLENTRY', 'RANGETBLREF', 'JOINEXPR', 'RTEPERMISSIONINFO', 'PARAM', 'AGGREF', 'SQLVALUEFUNCTION') then
        return;
      end if;
    end loop;
    -- Only immutable functions of PostgreSQL are accepted, because they read no settings. 1299 is now(), which is accepted too.
    for match in select distinct regexp_matches(tree, '\{FUNCEXPR :funcid (\d+) ', 'g') loop
      if readers ? match[1] then
        read := read || (readers ->> match[1]);
      elsif match[1]::bigint >= 16384 or not exists (
          select from pg_catalog.pg_proc as p where p.oid = match[1]::oid and (p.provolatile = 'i' or p.oid = 1299)) then
        return;
      end if;
    end loop;
    -- Operators and types of extensions and of the project (OIDs from 16384) are not accepted, because they may call any function.
    if exists (select from regexp_matches(tree, ':(?:opno|opfuncid|aggfnoid|resulttype) (\d+)', 'g') as m where m[1]::bigint >= 16384) then
      return;
    end if;
    -- Policies may read only tables, whose policies then apply too. Views are not accepted, because they may call any function.
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
revoke execute on function cloch.policy_claims(oid) from public;
grant execute on function cloch.policy_claims(oid) to authenticator;
