-- Part of Cloch's substitute for pg_jsonschema. Translates a regular expression of ECMA-262 to one of PostgreSQL: classes such as \d
-- contain only ASCII characters, `.` does not match line breaks, and repetitions of more than 255, which is PostgreSQL's maximum, are
-- split. Returns null if the expression is not valid. Fails for expressions that PostgreSQL does not support: \p{…}, and references to
-- named groups.
create or replace function extensions.cloch_json_schema_pattern(pattern text) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  most constant integer := 255;
  blanks constant text := ' \t\n\u000B\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
  rest text := pattern;
  result text := '';
  -- The last atom, to which a quantifier applies; null without one.
  atom text;
  -- For each open group, the translation of the text before the group.
  outer_results text[] := '{}';
  groups text[] := '{}';
  part text[];
  low integer;
  high integer;
  lazy text;
  -- Length and translation of an escape sequence.
  escape text;
  is_set boolean;
begin
  while rest <> '' loop
    if left(rest, 1) = '[' then
      result := result || coalesce(atom, '');
      part := regexp_match(rest, '^\[(\^?)((?:[^]\\]|\\.)*)\](.*)$');
      if part is null then
        return null;
      end if;
      rest := part[3];
      if part[2] = '' then
        atom := case part[1] when '' then '(?:(?=a)b)' else '(?:.)' end;
      else
        atom := '[' || part[1];
        while part[2] <> '' loop
          if left(part[2], 1) = '\' then
            escape := extensions.cloch_json_schema_escape(part[2], true, blanks);
            if escape is null then
              return null;
            end if;
            atom := atom || split_part(escape, ' / ', 2);
            is_set := part[2] ~ '^\\[dDwWsS]';
            part[2] := substr(part[2], 1 + split_part(escape, ' / ', 1)::integer);
            -- A set of characters such as \d cannot begin a range, so the `-` after it is an ordinary character.
            if is_set and part[2] like '-_%' then
              atom := atom || '\-';
              part[2] := substr(part[2], 2);
            end if;
          else
            atom := atom || case when left(part[2], 1) = '[' then '\[' else left(part[2], 1) end;
            part[2] := substr(part[2], 2);
          end if;
        end loop;
        atom := atom || ']';
      end if;
    elsif left(rest, 1) = '\' then
      result := result || coalesce(atom, '');
      escape := extensions.cloch_json_schema_escape(rest, false, blanks);
      if escape is null then
        return null;
      end if;
      atom := split_part(escape, ' / ', 2);
      rest := substr(rest, 1 + split_part(escape, ' / ', 1)::integer);
    elsif rest ~ '^\(' then
      result := result || coalesce(atom, '');
      part := regexp_match(rest, '^(\((?:\?(?::|=|!|<=|<!|<[A-Za-z_$][\w$]*>))?)');
      if part[1] = '(' and rest like '(?%' then
        return null;
      end if;
      outer_results := outer_results || result;
      groups := groups || case when part[1] ~ '^\(\?<\w' then '(' else part[1] end;
      result := '';
      atom := null;
      rest := substr(rest, 1 + length(part[1]));
    elsif left(rest, 1) = ')' then
      if groups = '{}' then
        return null;
      end if;
      atom := groups[cardinality(groups)] || result || coalesce(atom, '') || ')';
      result := outer_results[cardinality(groups)];
      groups := trim_array(groups, 1);
      outer_results := trim_array(outer_results, 1);
      rest := substr(rest, 2);
    elsif rest ~ '^([*+?]|\{\d+(,\d*)?\})' then
      part := regexp_match(rest, '^(?:([*+?])|\{(\d{1,6})(,?)(\d{0,6})\})(\??)(.*)$');
      if atom is null or atom in ('^', '$') or part is null then
        return null;
      end if;
      lazy := part[5];
      low := coalesce(part[2]::integer, case part[1] when '+' then 1 else 0 end);
      high := case when part[1] = '?' then 1 when part[1] in ('*', '+') then null when part[3] = '' then low else nullif(part[4], '')::integer end;
      if high < low then
        return null;
      end if;
      -- PostgreSQL's maximum is 255 repetitions. A nested repetition allows at most 255 × 255.
      if greatest(low, high) > most * most then
        raise exception 'JSON schema: pattern "%" repeats more than % times', pattern, most * most using errcode = '54000';
      end if;
      if part[1] is not null then
        result := result || atom || part[1] || lazy;
      elsif greatest(low, high) <= most then
        result := result || atom || '{' || low || case when high is null then ',}' else ',' || high || '}' end || lazy;
      else
        result := result || case when low >= most then '(?:' || atom || '{255}){' || low / most || '}' else '' end
          || case when low % most > 0 then atom || '{' || low % most || '}' else '' end
          || case when high is null then atom || '*'
                  else case when high - low >= most then '(?:' || atom || '{0,255}){' || (high - low) / most || '}' else '' end
                    || case when (high - low) % most > 0 then atom || '{0,' || (high - low) % most || '}' else '' end end;
      end if;
      atom := null;
      rest := part[6];
      if rest ~ '^([*+?]|\{\d+(,\d*)?\})' then
        return null;
      end if;
    else
      result := result || coalesce(atom, '');
      atom := case left(rest, 1)
        when '.' then '[^\n\r\u2028\u2029]' when '{' then '\{' when '}' then '\}' when ']' then '\]' else left(rest, 1) end;
      rest := substr(rest, 2);
      if atom = '|' then
        result := result || atom;
        atom := null;
      end if;
    end if;
  end loop;
  if groups <> '{}' then
    return null;
  end if;
  -- Without the group, PostgreSQL might read the beginning of the expression as an option.
  return '(?:' || result || coalesce(atom, '') || ')';
end;
$$;
