-- Parses the text of a value of type `kind` (vector or halfvec) of Cloch's substitute for pgvector, with the limits and error messages of
-- pgvector. Numbers of halfvec are rounded to 11 binary digits. Hexadecimal numbers are refused, unlike in pgvector.
create or replace function cloch.vector_numbers(value text, kind text) returns real[]
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  blanks constant text := E' \t\n\r\v\f';
  body text := btrim(value, blanks);
  number constant text := '[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?';
  usual constant text := case kind
    when 'halfvec' then '\s*[+-]?\d{1,4}(?:\.\d{0,25})?(?:e-(?:0?\d|1[0-2]))?\s*'
    else '\s*[+-]?\d{1,8}(?:\.\d{0,25})?(?:e[+-]?(?:0?\d|1[0-2]))?\s*' end;
  -- Numbers of at least this size would be rounded to more than the greatest number of the type.
  too_great constant numeric := case kind when 'halfvec' then 65519.998046875 else 3.40282356779733661637539395458142568448e38 end;
  elements text[];
  element text;
  part text[];
  closed int;
  exact numeric;
  result real[] := '{}';
begin
  -- The fast path for nearly all values: numbers that PostgreSQL's arrays of type real accept without overflow or underflow.
  if body ~ ('^\[(?:' || usual || ',)*' || usual || '\]$') then
    result := ('{' || substr(body, 2, length(body) - 2) || '}')::real[];
    if cardinality(result) > 16000 then
      raise exception '% cannot have more than 16000 dimensions', kind using errcode = '54000';
    end if;
    return case kind when 'halfvec' then cloch.vector_halves(result) else result end;
  end if;

  if body !~ '^\[' then
    raise exception 'invalid input syntax for type %: "%"', kind, value
      using errcode = '22P02', detail = 'Vector contents must start with "[".';
  end if;
  body := ltrim(substr(body, 2), blanks);
  if body ~ '^\]' then
    raise exception '% must have at least 1 dimension', kind using errcode = '22000';
  end if;
  closed := strpos(body, ']');
  elements := string_to_array(case closed when 0 then body else left(body, closed - 1) end, ',');
  foreach element in array elements loop
    if cardinality(result) = 16000 then
      raise exception '% cannot have more than 16000 dimensions', kind using errcode = '54000';
    end if;
    element := btrim(element, blanks);
    if element ~* '^[+-]?nan' then
      raise exception 'NaN not allowed in %', kind using errcode = '22000';
    elsif element ~* '^[+-]?inf' then
      raise exception 'infinite value not allowed in %', kind using errcode = '22000';
    end if;
    part := regexp_match(element, '^(' || number || ')(.*)$');
    if part is null then
      raise exception 'invalid input syntax for type %: "%"', kind, value using errcode = '22P02';
    end if;
    -- Numbers up to 2^-150 are rounded to 0.
    exact := case when part[1] ~ '[eE]\+?0*\d{4,}$' then 'Infinity' when part[1] ~ '[eE]-0*\d{4,}$' then 0 else abs(part[1]::numeric) end;
    if exact >= too_great then
      raise exception '"%" is out of range for type %', part[1], kind using errcode = '22003';
    end if;
    result := result || case when exact <= 7.006492321624085354618647916449580656401309709382578858785e-46 then 0 else part[1]::real end;
    if part[2] <> '' then
      raise exception 'invalid input syntax for type %: "%"', kind, value using errcode = '22P02';
    end if;
  end loop;
  if closed = 0 then
    raise exception 'invalid input syntax for type %: "%"', kind, value using errcode = '22P02';
  elsif closed < length(body) then
    raise exception 'invalid input syntax for type %: "%"', kind, value
      using errcode = '22P02', detail = 'Junk after closing right brace.';
  end if;
  return case kind when 'halfvec' then cloch.vector_halves(result) else result end;
end;
$$;
