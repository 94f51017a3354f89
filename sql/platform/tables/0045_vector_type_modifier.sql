-- Corrects the type modifier of the stand-in for pgvector, first step. The modifier of vector(8) was 12, because the functions were those of
-- varchar. Clients read the number of dimensions from the catalog, and pgvector stores the number itself. Modifiers are stored in columns,
-- in domains, and in the expression trees of views, rules, defaults, constraints, indexes, policies, triggers, partition keys, statistics
-- and SQL functions. Values contain no modifier.
--
-- Sessions of other programs may be open, and a statement that runs while a transaction ends here can use an old modifier and a new
-- function. Therefore the modifier of vector(8) is 0x7FFF0000 + 8 until the second step (the next file): no old modifier has such a number, so
-- that functions interpret both correctly. PostgreSQL's function for modifiers of intervals shows it as 8. Plans that were made before call
-- the old function, which stays as it is. A statement that converts rows of a table in progress can fail once, as while a table is altered,
-- because PostgreSQL compares the modifiers of row types.

\ir ../functions/cloch/vector_numbers.sql
\ir ../functions/cloch/vector_halves.sql
\ir ../functions/cloch/vector_text.sql
\ir ../functions/cloch/vector_expected.sql
\ir ../functions/cloch/vector_modifier.sql

-- Converts a modifier. Step 1: from 12 for vector(8) to 0x7FFF0000 + 8. Step 2: from both to 8. Step 3, when 8 and 12 can be final: from
-- 0x7FFF0000 + 8 to 8. Null for other modifiers.
create function cloch.vector_converted(modifier integer, step integer) returns integer
language sql immutable set search_path = 'pg_catalog' as $$
  select case when modifier > 2147418112 then modifier - 2147418112 when modifier > 4 and step < 3 then modifier - 4 end
         + case step when 1 then 2147418112 else 0 end
$$;

-- Returns an expression tree with converted modifiers of `types` and with `new_caster` in place of `old_caster`.
create function cloch.vector_corrected(tree text, types oid[], old_caster oid, new_caster oid, step integer) returns text
language plpgsql set search_path = 'pg_catalog' as $function$
declare
  head text;
  found record;
  part text;
  pieces text[];
  depth int;
  first_argument int;
  bytes int[];
  modifier int;
  rest text;
begin
  -- Nodes with a type and its modifier, such as `:vartype 16500 :vartypmod 12`. Modifiers are converted in ascending order, so that none is
  -- converted twice; in step 1, results are greater than all modifiers before.
  for found in
    select distinct m[1] as type, m[2]::int as modifier
      from regexp_matches(tree, ':\w*typ(?:e|eId|id) (\d+) :\w*typ(?:m|eM)od (\d+)\y', 'g') as m
     where m[1]::oid = any (types) and cloch.vector_converted(m[2]::int, step) is not null order by 2
  loop
    tree := regexp_replace(tree, '(:\w*typ(?:e|eId|id) ' || found.type || ' :\w*typ(?:m|eM)od )' || found.modifier || '\y',
      '\1' || cloch.vector_converted(found.modifier, step), 'g');
  end loop;

  -- Lists of types and lists of their modifiers, such as `:coltypes (o 23 16500) :coltypmods (i -1 12)`.
  for found in
    select distinct m[1] as whole, m[2] as before, string_to_array(m[3], ' ')::oid[] as list, m[4] as between,
           string_to_array(m[5], ' ')::int[] as modifiers
      from regexp_matches(tree, '((:\w*types \(o )([\d ]+)(\) :\w*typmods \(i )([-\d ]+)\))', 'gi') as m
  loop
    select string_agg((case when t = any (types) then coalesce(cloch.vector_converted(m, step), m) else m end)::text, ' ' order by place) into part
      from unnest(found.list, found.modifiers) with ordinality as l (t, m, place);
    -- A list without a modifier of the type stays as it is.
    part := found.before || array_to_string(found.list, ' ') || found.between || part || ')';
    if part <> found.whole then
      -- The mark excludes a list that was converted already.
      tree := replace(tree, found.whole, E'\x01' || part);
    end if;
  end loop;
  tree := replace(tree, E'\x01', '');

  -- Calls of the casts, the last one first, because calls in the first argument of a call follow its head. The second argument is a constant
  -- of four bytes. The first argument, an expression of any size, ends where as many braces were closed as opened. Braces in names are
  -- escaped.
  foreach head in array array['{FUNCEXPR :funcid ' || old_caster || ' ', '{FUNCEXPR :funcid ' || new_caster || ' '] loop
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
      -- The bytes of a number, the lowest first. They are signed on some processors.
      modifier := cloch.vector_converted((bytes[1] + 256) % 256 + (bytes[2] + 256) % 256 * 256 + (bytes[3] + 256) % 256 * 65536 + bytes[4] * 16777216, step);
      -- The mark excludes the call from the search.
      if modifier is not null then
        rest := regexp_replace(rest, ':constvalue 4 \[ \S+ \S+ \S+ \S+ ',
          format(':constvalue 4 [ %s %s %s %s ', modifier % 256, modifier / 256 % 256, modifier / 65536 % 256, modifier / 16777216));
        tree := tree || E'{\x01FUNCEXPR :funcid ' || new_caster || ' ' || part || rest;
      else
        -- A call by name whose second argument is no constant calls the same function as before.
        tree := tree || E'{\x01' || substr(head, 2) || part || rest;
      end if;
    end loop;
  end loop;
  return replace(tree, E'\x01', '');
end;
$function$;

-- Converts all stored modifiers of type vector.
create function cloch.convert_vector_modifiers(old_caster oid, new_caster oid, step integer) returns void
language plpgsql set search_path = 'pg_catalog' as $function$
declare
  types constant oid[] := (select array[oid, typarray] from pg_type where oid = (select prorettype from pg_proc where oid = new_caster));
  tree record;
begin
  -- PostgreSQL has no cast to the type of expression trees.
  create cast (text as pg_node_tree) without function;
  update pg_attribute set atttypmod = cloch.vector_converted(atttypmod, step)
   where atttypid = any (types) and cloch.vector_converted(atttypmod, step) is not null;
  update pg_type set typtypmod = cloch.vector_converted(typtypmod, step)
   where typbasetype = any (types) and cloch.vector_converted(typtypmod, step) is not null;
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
    execute format('update %I set %2$I = cloch.vector_corrected(%2$I::text, $1, $2, $3, $4)::pg_node_tree where %3$s%4$s',
      tree.catalog, tree.column_name, tree.is_concerned, case when tree.catalog = 'pg_proc' then ' and oid <> $3' end)
      using types, old_caster, new_caster, step;
  end loop;
  drop cast (text as pg_node_tree);
  -- Sessions compile their PL/pgSQL functions again. Variables can have a type with a modifier without naming it (%type). Sessions also
  -- remember how PL/pgSQL casts to a modifier. The updates of the casts' own entries make them forget it.
  update pg_proc set proname = proname
   where prolang = (select oid from pg_language where lanname = 'plpgsql') or oid in (old_caster, new_caster);
end;
$function$;

create function cloch.correct_vector_modifiers() returns void
language plpgsql set search_path = 'pg_catalog' as $outer$
declare
  vector record;
  old_caster oid;
  new_caster oid;
begin
  -- Objects of a database that another program made are not changed.
  if to_regclass('cloch.attached') is not null
     and exists (select from cloch.platform_migrations where version = '0031' and applied_at < now()) then
    return;
  end if;
  select t.oid, t.oid::regtype::text as name, typmodin, typmodout into vector
    from pg_type as t join pg_proc as p on p.oid = t.typmodin
   where t.typname = 'vector' and t.typtype = 'b' and p.prosrc = 'varchartypmodin';
  if vector is null then
    return;
  end if;
  select castfunc into old_caster from pg_cast where castsource = vector.oid and casttarget = vector.oid;
  -- PostgreSQL calls vector_typmod_in while it compiles a PL/pgSQL function with a variable of type vector(8). The compiler is not reentrant,
  -- so a function in PL/pgSQL may be called only if it fails.
  execute format($sql$
    create function cloch.vector_of_dimensions(v %1$s, type_modifier integer, is_explicit boolean) returns %1$s
      language sql immutable strict parallel safe
      begin atomic
        select cloch.vector_text(cloch.vector_expected(cloch.vector_numbers(v::text, 'vector'),
                 case when type_modifier < 0 then type_modifier when type_modifier > 2147418112 then type_modifier - 2147418112 else type_modifier - 4 end))::%1$s;
      end;
    drop cast (%1$s as %1$s);
    create cast (%1$s as %1$s) with function cloch.vector_of_dimensions(%1$s, integer, boolean) as implicit;
    create or replace function %2$s(cstring[]) returns integer language sql immutable strict parallel safe
      begin atomic
        select 2147418112 + case when cardinality($1) = 1 and $1[1]::text::integer between 1 and 16000 then $1[1]::text::integer
                              else cloch.vector_modifier($1, 'vector', 16000) end;
      end;
    create or replace function %3$s(integer) returns cstring language internal immutable strict parallel safe as 'intervaltypmodout';
  $sql$, vector.name, vector.typmodin::regproc, vector.typmodout::regproc);
  select castfunc into new_caster from pg_cast where castsource = vector.oid and casttarget = vector.oid;
  insert into pg_depend (classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype)
  select classid, objid, objsubid, refclassid, new_caster, refobjsubid, deptype
    from pg_depend where refclassid = 'pg_proc'::regclass and refobjid = old_caster;
  perform cloch.convert_vector_modifiers(old_caster, new_caster, 1);
end;
$outer$;

do $$ begin perform cloch.correct_vector_modifiers(); end $$;
drop function cloch.correct_vector_modifiers();
