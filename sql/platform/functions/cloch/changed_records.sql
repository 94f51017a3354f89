-- Returns what each role may see of changed rows of a table, for realtime's Postgres Changes. `rows` is a JSON array of changed rows. Each
-- row is an object with column names and text values. The result has one row for each role:
-- * `columns`: numbers of the columns that the role may SELECT.
-- * `row_security`: whether row-level security is enabled on the table.
-- * `filters_rows`: whether row-level security applies to the role.
-- * `may_see_rows`: whether the role may see any row: row-level security does not apply, or a permissive policy for SELECT does.
-- * `records`: each changed row as JSON text, with the columns that the role may SELECT, in the order of `rows`.
-- * `failure` and `message`: SQLSTATE and message if the evaluation failed for the role.
--
-- If the type of a column now refuses a value (for example, the name of a relation that was dropped, or a domain with a new check), this
-- value is returned as text, and all other values as usual. The error message is discarded, because it may quote the value. Column names in
-- the statement are qualified, so that a column cannot be mistaken for the row. Callable by authenticator.
create or replace function cloch.changed_records(relation oid, roles text[], rows jsonb)
returns table (
  role text, columns smallint[], row_security boolean, filters_rows boolean, may_see_rows boolean, records text[],
  failure text, message text)
-- The search path is that of API requests, because functions in policies may name the project's tables without a schema.
language plpgsql set search_path = public, extensions as $$
#variable_conflict use_column
declare
  statement text;
  prepared text;
  changed_row jsonb;
  converted text[];
  shown jsonb;
  field record;
  converted_value jsonb;
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
      -- PostgreSQL can evaluate policies only for rows that exist. As on Supabase, the key of a deleted row is sent to every role that has
      -- a permissive policy for SELECT.
      may_see_rows := not filters_rows or exists (
        select from pg_catalog.pg_policy as p, unnest(p.polroles) as member
         where p.polrelid = relation and p.polpermissive and p.polcmd in ('r', '*')
           and (member = 0 or pg_has_role(member, 'usage')));
      if may_see_rows and cardinality(columns) > 0 then
        prepared := 'cloch_row_values_' || relation || '_' || left(md5(role || statement), 12);
        for attempt in 1 .. 2 loop
          begin
            execute format('execute %I (%L)', prepared, rows) into records;
            exit;
          exception
            when invalid_sql_statement_name then
              execute format(
                'prepare %I (jsonb) as
                 select array_agg((select to_jsonb(x.*)::text from (select %s) as x) order by e.at)
                   from jsonb_array_elements($1) with ordinality as e (r, at)', prepared, statement);
            when others then
              records := '{}';
              for changed_row in select e.r from jsonb_array_elements(rows) with ordinality as e (r, at) order by e.at loop
                begin
                  execute format('execute %I (%L)', prepared, jsonb_build_array(changed_row)) into converted;
                exception when others then
                  shown := '{}';
                  for field in
                    select a.attname, format_type(a.atttypid, a.atttypmod) as type from pg_catalog.pg_attribute as a
                     where a.attrelid = relation and a.attnum = any (columns) and changed_row ? a.attname::text
                  loop
                    begin
                      execute format('select to_jsonb($1::%s)', field.type) into converted_value using changed_row ->> field.attname;
                    exception when others then
                      converted_value := changed_row -> field.attname;
                    end;
                    shown := shown || jsonb_build_object(field.attname, converted_value);
                  end loop;
                  converted := array[shown::text];
                end;
                records := records || converted;
              end loop;
              exit;
          end;
        end loop;
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
revoke execute on function cloch.changed_records(oid, text[], jsonb) from public;
grant execute on function cloch.changed_records(oid, text[], jsonb) to authenticator;
