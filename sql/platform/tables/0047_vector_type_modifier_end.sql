-- Last step of the correction of type modifiers: converts those that transactions have stored that were open during the second step.

do $$
declare
  vector record;
begin
  select * into vector from cloch.vector_casters();
  if vector is not null and to_regclass('cloch.attached') is null then
    perform cloch.wait_for_transactions(false);
    perform cloch.convert_vector_modifiers(vector.old_caster, vector.new_caster, 3);
  end if;
end;
$$;
drop function cloch.vector_casters();
drop function cloch.wait_for_transactions(boolean);
drop function cloch.convert_vector_modifiers(oid, oid, integer);
drop function cloch.vector_corrected(text, oid[], oid, oid, integer);
drop function cloch.vector_converted(integer, integer);
