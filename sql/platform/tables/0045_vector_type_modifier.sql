-- Corrects the type modifier of the stand-in for pgvector. The modifier of vector(8) was 12, because the functions were those of varchar.
-- Clients read the number of dimensions from the catalog, and pgvector stores the number itself. Modifiers are stored in columns, in
-- domains, and in the expression trees of views, rules, defaults, constraints, indexes, policies, triggers, partition keys, statistics
-- and SQL functions. Values contain no modifier.
--
-- Sessions of other programs may be open. A statement that has begun keeps its plan, which contains an old modifier. Therefore the function
-- that casts with the new modifier is a new function, and the old one stays as it is: each plan calls the function that its modifier is for.
-- Only a PL/pgSQL function that runs at the end of this transaction can cast to the type of a variable with the old modifier and fail once.

\ir ../functions/cloch/vector_numbers.sql
\ir ../functions/cloch/vector_halves.sql
\ir ../functions/cloch/vector_text.sql
\ir ../functions/cloch/vector_expected.sql
\ir ../functions/cloch/vector_modifier.sql

-- Returns an expression tree with corrected modifiers of `types` and with `new_caster` in place of `old_caster`.
create function cloch.vector_corrected(tree text, types oid[], old_caster oid, new_caster oid) returns text
language plpgsql set search_path = 'pg_catalog' as $function$
declare
  head constant text := '{FUNCEXPR :funcid ' || old_caster || ' ';
  found record;
  part text;
  pieces text[];
  depth int;
  first_argument int;
  bytes int[];
  dimensions int;
  rest text;
begin
  -- Nodes with a type and its modifier, such as `:vartype 16500 :vartypmod 12`. Modifiers are corrected in ascending order, so that none is
  -- corrected twice.
  for found in
    select distinct m[1] as type, m[2]::int as modifier
      from regexp_matches(tree, ':\w*typ(?:e|eId|id) (\d+) :\w*typ(?:m|eM)od (\d+)\y', 'g') as m
     where m[1]::oid = any (types) and m[2]::int > 4 order by 2
  loop
    tree := regexp_replace(tree, '(:\w*typ(?:e|eId|id) ' || found.type || ' :\w*typ(?:m|eM)od )' || found.modifier || '\y',
      '\1' || found.modifier - 4, 'g');
  end loop;

  -- Lists of types and lists of their modifiers, such as `:coltypes (o 23 16500) :coltypmods (i -1 12)`.
  for found in
    select distinct m[1] as whole, m[2] as before, string_to_array(m[3], ' ')::oid[] as list, m[4] as between,
           string_to_array(m[5], ' ')::int[] as modifiers
      from regexp_matches(tree, '((:\w*types \(o )([\d ]+)(\) :\w*typmods \(i )([-\d ]+)\))', 'gi') as m
  loop
    select string_agg((case when t = any (types) and m > 4 then m - 4 else m end)::text, ' ' order by place) into part
      from unnest(found.list, found.modifiers) with ordinality as l (t, m, place);
    -- A list without a modifier of the type stays as it is.
    part := found.before || array_to_string(found.list, ' ') || found.between || part || ')';
    if part <> found.whole then
      -- The mark excludes a list that was corrected already.
      tree := replace(tree, found.whole, E'\x01' || part);
    end if;
  end loop;
  tree := replace(tree, E'\x01', '');

  -- Calls of the cast, the last one first, because calls in the first argument of a call follow its head. The second argument is a constant
  -- of four bytes. The first argument, an expression of any size, ends where as many braces were closed as opened. Braces in names are
  -- escaped.
  while strpos(tree, head) > 0 loop
    rest := right(tree, strpos(reverse(tree), reverse(head)) - 1);
    tree := left(tree, length(tree) - length(rest) - length(head));
    pieces := regexp_split_to_array(rest, '(?=[{}])');
    depth := 0;
    first_argument := 0;
    for i in 2 .. cardinality(pieces) loop
      first_argument := first_argument + length(pieces[i - 1]);
      continue when pieces[i - 1] like '%\\';
      depth := depth + case left(pieces[i], 1) when '{' then 1 else -1 end;
      exit when depth = 0;
    end loop;
    part := left(rest, first_argument + 1);
    rest := substr(rest, first_argument + 2);
    bytes := regexp_match(rest, '^ {CONST :consttype 23 [^{}]*:constvalue 4 \[ (-?\d+) (-?\d+) (-?\d+) (-?\d+) 0 0 0 0 \]}');
    -- Bytes of a number below 65,536, the lowest first. They are signed on some processors.
    dimensions := (bytes[1] + 256) % 256 + (bytes[2] + 256) % 256 * 256 - 4;
    if dimensions > 0 then
      rest := regexp_replace(rest, ':constvalue 4 \[ \S+ \S+ ', ':constvalue 4 [ ' || dimensions % 256 || ' ' || dimensions / 256 || ' ');
      tree := tree || '{FUNCEXPR :funcid ' || new_caster || ' ' || part || rest;
    else
      -- A call by name whose second argument is no constant still calls the old function. The mark excludes it from the search.
      tree := tree || E'\x01' || substr(head, 2) || part || rest;
    end if;
  end loop;
  return replace(tree, E'\x01', '{');
end;
$function$;

create function cloch.correct_vector_modifiers() returns void
language plpgsql set search_path = 'pg_catalog' as $outer$
declare
  vector record;
  types oid[];
  busy text;
  old_caster oid;
  new_caster oid;
  tree record;
begin
  -- Objects of a database that another program made are not changed.
  if to_regclass('cloch.attached') is not null
     and exists (select from cloch.platform_migrations where version = '0031' and applied_at < now()) then
    return;
  end if;
  select t.oid, t.typarray, t.oid::regtype::text as name, typmodin, typmodout into vector
    from pg_type as t join pg_proc as p on p.oid = t.typmodin
   where t.typname = 'vector' and t.typtype = 'b' and p.prosrc = 'varchartypmodin';
  if vector is null then
    return;
  end if;
  -- A transaction that has created a table or a column, and has not ended, stores an old modifier that cannot be seen here.
  for attempt in 1 .. 300 loop
    select string_agg(distinct a.pid::text, ', ') into busy
      from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
     where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and l.granted and a.datname = current_database()
       and a.backend_type = 'client backend' and a.pid <> pg_backend_pid();
    exit when busy is null;
    perform pg_sleep(0.1), pg_stat_clear_snapshot();
  end loop;
  if busy is not null then
    raise exception 'open transactions change tables (process IDs of PostgreSQL: %). End them, and start again', busy;
  end if;
  types := array[vector.oid, vector.typarray];
  select castfunc into old_caster from pg_cast where castsource = vector.oid and casttarget = vector.oid;
  execute format($sql$
    create function cloch.vector_of_dimensions(v %1$s, type_modifier integer, is_explicit boolean) returns %1$s
      language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_expected(cloch.vector_numbers(v::text, 'vector'), type_modifier))::%1$s; end;
    drop cast (%1$s as %1$s);
    create cast (%1$s as %1$s) with function cloch.vector_of_dimensions(%1$s, integer, boolean) as implicit;
  $sql$, vector.name);
  select castfunc into new_caster from pg_cast where castsource = vector.oid and casttarget = vector.oid;
  insert into pg_depend (classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype)
  select classid, objid, objsubid, refclassid, new_caster, refobjsubid, deptype
    from pg_depend where refclassid = 'pg_proc'::regclass and refobjid = old_caster;

  -- PostgreSQL has no cast to the type of expression trees.
  create cast (text as pg_node_tree) without function;
  update pg_attribute set atttypmod = atttypmod - 4 where atttypid = any (types) and atttypmod > 4;
  update pg_type set typtypmod = typtypmod - 4 where typbasetype = any (types) and typtypmod > 4;
  for tree in
    select *, format('(strpos(%1$I, '' %2$s '') > 0 or strpos(%1$I, '' %3$s '') > 0)', columns.column_name, types[1], types[2]) as is_concerned
      from (values
        ('pg_rewrite', 'ev_action', 'ev_class'), ('pg_rewrite', 'ev_qual', 'ev_class'), ('pg_attrdef', 'adbin', 'adrelid'),
        ('pg_constraint', 'conbin', 'conrelid'), ('pg_index', 'indexprs', 'indrelid'), ('pg_index', 'indpred', 'indrelid'),
        ('pg_policy', 'polqual', 'polrelid'), ('pg_policy', 'polwithcheck', 'polrelid'), ('pg_trigger', 'tgqual', 'tgrelid'),
        ('pg_partitioned_table', 'partexprs', 'partrelid'), ('pg_class', 'relpartbound', 'oid'), ('pg_statistic_ext', 'stxexprs', 'stxrelid'),
        ('pg_proc', 'prosqlbody', null), ('pg_proc', 'proargdefaults', null),
        ('pg_type', 'typdefaultbin', null)) as columns (catalog, column_name, relation)
  loop
    if tree.relation is not null then
      -- An update of a relation's entry makes all sessions read the relation's definition again.
      execute format('update pg_class set relname = relname where oid in (select %I from %I where %s)',
        tree.relation, tree.catalog, tree.is_concerned);
    end if;
    execute format('update %I set %2$I = cloch.vector_corrected(%2$I::text, $1, $2, $3)::pg_node_tree where %3$s%4$s',
      tree.catalog, tree.column_name, tree.is_concerned, case when tree.catalog = 'pg_proc' then ' and oid <> $3' end)
      using types, old_caster, new_caster;
  end loop;
  drop cast (text as pg_node_tree);
  -- Sessions compile their PL/pgSQL functions again. Variables can have a type with a modifier without naming it (%type). Sessions also
  -- remember how PL/pgSQL casts to modifier 8, which was that of vector(4). The update of the old function's entry makes them forget it.
  update pg_proc set proname = proname where prolang = (select oid from pg_language where lanname = 'plpgsql');

  -- From here on, the modifier is the number of dimensions. PostgreSQL calls the first function while it compiles a PL/pgSQL function with a
  -- variable of type vector(8). The compiler is not reentrant, so a function in PL/pgSQL may be called only if it fails.
  execute format($sql$
    create or replace function %1$s(cstring[]) returns integer language sql immutable strict parallel safe
      begin atomic
        select case when cardinality($1) = 1 and $1[1]::text::integer between 1 and 16000 then $1[1]::text::integer
                    else cloch.vector_modifier($1, 'vector', 16000) end;
      end;
    create or replace function %2$s(integer) returns cstring language internal immutable strict parallel safe as 'bittypmodout';
  $sql$, vector.typmodin::regproc, vector.typmodout::regproc);
end;
$outer$;

do $$ begin perform cloch.correct_vector_modifiers(); end $$;
drop function cloch.correct_vector_modifiers();
drop function cloch.vector_corrected(text, oid[], oid, oid);
