select to_json(name) from pg_timezone_names
