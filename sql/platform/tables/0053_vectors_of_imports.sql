-- Allows the project's owner to read vectors and to load them: an import runs as the project's owner, who is no member of service_role on a
-- managed server where that role does not bypass row-level security.
do $$
begin
  execute format('grant select, insert on cloch.vectors to %I', cloch.project_owner());
end;
$$;
