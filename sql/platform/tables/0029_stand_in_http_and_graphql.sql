-- Makes the stand-ins for http and pg_graphql, unless the server has the extensions. SQL cannot do the work of these extensions. Their
-- functions exist so that definitions which name them can be created. Calls raise an error (http) or return an error message
-- (pg_graphql).

do $outer$
declare
  signature text;
begin
  if cloch.stand_in_wanted('http', 'its functions raise an error when called') then
    create domain extensions.http_method as text;
    create type extensions.http_header as (field varchar, value varchar);
    create type extensions.http_request as (
      method extensions.http_method, uri varchar, headers extensions.http_header[],
      content_type varchar, content varchar);
    create type extensions.http_response as (
      status integer, content_type varchar, headers extensions.http_header[], content varchar);

    foreach signature in array array[
      'http(request extensions.http_request)',
      'http_get(uri varchar)', 'http_get(uri varchar, data jsonb)',
      'http_post(uri varchar, content varchar, content_type varchar)', 'http_post(uri varchar, data jsonb)',
      'http_put(uri varchar, content varchar, content_type varchar)',
      'http_patch(uri varchar, content varchar, content_type varchar)',
      'http_delete(uri varchar)', 'http_delete(uri varchar, content varchar, content_type varchar)',
      'http_head(uri varchar)'
    ] loop
      execute format($create$
        create function extensions.%s returns extensions.http_response
        language plpgsql as $body$
        begin
          raise exception 'the http extension is not installed on this database'
            using errcode = '0A000', hint = 'net.http_post sends a request after the transaction.';
        end;
        $body$
      $create$, signature);
    end loop;
    create function extensions.http_header(field varchar, value varchar) returns extensions.http_header
      language sql immutable as 'select row(field, value)::extensions.http_header';
  end if;

  if cloch.stand_in_wanted('pg_graphql', 'POST /graphql/v1 answers that it is not enabled')
     and to_regproc('graphql_public.graphql') is null then
    create function graphql_public.graphql(
      "operationName" text default null, query text default null,
      variables jsonb default null, extensions jsonb default null
    ) returns jsonb
    language sql stable as
    $$ select '{"errors": [{"message": "pg_graphql extension is not enabled."}]}'::jsonb $$;
    grant execute on function graphql_public.graphql(text, text, jsonb, jsonb)
      to postgres, anon, authenticated, service_role;
  end if;
end;
$outer$;
