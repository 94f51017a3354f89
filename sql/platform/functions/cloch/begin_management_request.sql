-- Inserts the audit entry of a Management API request before the request has an effect, and deletes entries older than 400 days.
-- `client` is the IP address of the client. The path is truncated to 500 characters. Returns the id of the entry. Only Cloch's own
-- login may call the function.
create or replace function cloch.begin_management_request(client text, user_agent text, method text, path text)
returns bigint
language sql set search_path = 'pg_catalog', 'pg_temp' as $$
  delete from cloch.management_audit where begun_at < now() - interval '400 days';
  insert into cloch.management_audit (client, user_agent, method, path)
  values (begin_management_request.client, begin_management_request.user_agent,
          begin_management_request.method, left(begin_management_request.path, 500))
  returning id
$$;
revoke all on function cloch.begin_management_request(text, text, text, text) from public;
