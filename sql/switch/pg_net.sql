alter schema net rename to cloch_stand_in;
create extension pg_net;
-- Queues the requests that Cloch's substitute for pg_net has not sent yet. Their URLs already contain the query parameters.
do $$
declare
  request record;
begin
  for request in select * from cloch_stand_in.http_request_queue order by id loop
    case request.method
      when 'GET' then
        perform net.http_get(url => request.url, headers => request.headers, timeout_milliseconds => request.timeout_milliseconds);
      when 'DELETE' then
        perform net.http_delete(url => request.url, headers => request.headers, timeout_milliseconds => request.timeout_milliseconds);
      else
        perform net.http_post(url => request.url, body => convert_from(request.body, 'UTF8')::jsonb, headers => request.headers,
                              timeout_milliseconds => request.timeout_milliseconds);
    end case;
  end loop;
end;
$$;
