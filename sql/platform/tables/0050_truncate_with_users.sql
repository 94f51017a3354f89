-- Allows the project's owner to truncate Cloch's tables that reference tables of auth. Seeds contain `truncate auth.users cascade`, which
-- PostgreSQL refuses unless the role may truncate every referencing table.
do $$
begin
  execute format(
    'grant truncate on cloch.sign_ups, cloch.totp_steps, cloch.sign_in_networks, cloch.recovery_code_sets, cloch.recovery_codes, '
    'cloch.oauth_spent_codes, cloch.oauth_prompts to %I', cloch.project_owner());
end;
$$;
