-- Corrects the type modifier of the stand-in for pgvector. The modifier of vector(8) was 12, because the functions were those of varchar.
-- Clients read the number of dimensions from the catalog, and pgvector stores the number itself. Modifiers are stored in columns, in
-- domains, and in the expression trees of views, rules, defaults, constraints, indexes, policies, triggers, partition keys, statistics
-- and SQL functions. Values contain no modifier.

do $outer$
declare
  vector_type oid;
  types oid[];
  -- The function that casts to vector(n): expression trees contain n as its second argument.
  caster oid;
  tree record;
begin
  -- Objects of a database that another program made are not changed.
  if to_regclass('cloch.attached') is not null
     and exists (select from cloch.platform_migrations where version = '0031' and applied_at < now()) then
    return;
  end if;
  select t.oid, array[t.oid, t.typarray] into vector_type, types
    from pg_catalog.pg_type as t join pg_catalog.pg_proc as p on p.oid = t.typmodin
   where t.typname = 'vector' and t.typnamespace = 'extensions'::regnamespace and p.prosrc = 'varchartypmodin';
  if vector_type is null then
    return;
  end if;
  select castfunc into caster from pg_catalog.pg_cast where castsource = vector_type and casttarget = vector_type;

  create function cloch.vector_corrected(tree text, types oid[], caster oid) returns text
  language plpgsql as $function$
  declare
    head constant text := '{FUNCEXPR :funcid ' || caster || ' ';
    found record;
    part text;
    pieces text[];
    depth int;
    first_argument int;
    bytes int[];
    dimensions int;
    result text := '';
  begin
    -- Nodes with a type and its modifier, such as `:vartype 16500 :vartypmod 12`. Modifiers are corrected in ascending order, so that none is
    -- corrected twice.
    for found in
      select distinct m[1] as type, m[2]::int as modifier
        from regexp_matches(tree, ':\w*type(?:Id)? (\d+) :\w*typ(?:m|eM)od (\d+)\y', 'g') as m
       where m[1]::oid = any (types) and m[2]::int > 4 order by 2
    loop
      tree := regexp_replace(tree, '(:\w*type(?:Id)? ' || found.type || ' :\w*typ(?:m|eM)od )' || found.modifier || '\y',
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

    -- Calls of the cast: the second argument is a constant of four bytes. The first argument, an expression of any size, ends where as many
    -- braces were closed as opened. Braces in names are escaped.
    while strpos(tree, head) > 0 loop
      result := result || left(tree, strpos(tree, head) + length(head) - 1);
      tree := substr(tree, strpos(tree, head) + length(head));
      pieces := regexp_split_to_array(tree, '(?=[{}])');
      depth := 0;
      first_argument := 0;
      for i in 2 .. cardinality(pieces) loop
        first_argument := first_argument + length(pieces[i - 1]);
        continue when pieces[i - 1] like '%\\';
        depth := depth + case left(pieces[i], 1) when '{' then 1 else -1 end;
        exit when depth = 0;
      end loop;
      result := result || left(tree, first_argument + 1);
      tree := substr(tree, first_argument + 2);
      bytes := regexp_match(tree,
        '^ {CONST :consttype 23 [^{}]*:constvalue 4 \[ (-?\d+) (-?\d+) (-?\d+) (-?\d+) 0 0 0 0 \]}');
      -- A call by name whose second argument is no constant stays as it is.
      continue when bytes is null;
      -- Bytes of a number below 65,536, the lowest first. They are signed on some processors.
      dimensions := (bytes[1] + 256) % 256 + (bytes[2] + 256) % 256 * 256 - 4;
      if dimensions > 0 then
        tree := regexp_replace(tree, ':constvalue 4 \[ \S+ \S+ ',
          ':constvalue 4 [ ' || dimensions % 256 || ' ' || dimensions / 256 || ' ');
      end if;
    end loop;
    return result || tree;
  end;
  $function$;
  -- PostgreSQL has no cast to the type of expression trees.
  create cast (text as pg_node_tree) without function;

  update pg_catalog.pg_attribute set atttypmod = atttypmod - 4 where atttypid = any (types) and atttypmod > 4;
  update pg_catalog.pg_type set typtypmod = typtypmod - 4 where typbasetype = any (types) and typtypmod > 4;
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
      execute format('update pg_catalog.pg_class set relname = relname where oid in (select %I from pg_catalog.%I where %s)',
        tree.relation, tree.catalog, tree.is_concerned);
    end if;
    execute format('update pg_catalog.%I set %2$I = cloch.vector_corrected(%2$I::text, $1, $2)::pg_node_tree where %3$s',
      tree.catalog, tree.column_name, tree.is_concerned) using types, caster;
  end loop;
  -- Sessions compile functions again whose variables have a type with the old modifier.
  update pg_catalog.pg_proc set proname = proname
   where prolang = (select oid from pg_catalog.pg_language where lanname = 'plpgsql') and strpos(prosrc, 'vector') > 0;
  drop cast (text as pg_node_tree);
  drop function cloch.vector_corrected(text, oid[], oid);

  -- From here on, the modifier is the number of dimensions, with the limits and messages of pgvector.
  create or replace function extensions.vector_typmod_in(modifiers cstring[]) returns integer
    language plpgsql immutable strict parallel safe as $function$
  declare
    dimensions integer;
  begin
    if cardinality(modifiers) <> 1 then
      raise exception 'invalid type modifier' using errcode = '22023';
    end if;
    dimensions := modifiers[1]::text::integer;
    if dimensions < 1 then
      raise exception 'dimensions for type vector must be at least 1' using errcode = '22023';
    elsif dimensions > 16000 then
      raise exception 'dimensions for type vector cannot exceed 16000' using errcode = '22023';
    end if;
    return dimensions;
  end;
  $function$;
  create or replace function extensions.vector_typmod_out(integer) returns cstring
    language internal immutable strict parallel safe as 'bittypmodout';
  create or replace function extensions.vector(v extensions.vector, type_modifier integer, is_explicit boolean)
  returns extensions.vector
  language plpgsql immutable strict parallel safe as $function$
  declare
    numbers double precision[] := extensions.vector_to_float8(v);
  begin
    if type_modifier > 0 and cardinality(numbers) <> type_modifier then
      raise exception 'expected % dimensions, not %', type_modifier, cardinality(numbers) using errcode = '22000';
    end if;
    return extensions.array_to_vector(numbers);
  end;
  $function$;
end;
$outer$;
