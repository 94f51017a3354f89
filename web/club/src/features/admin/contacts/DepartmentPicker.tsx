import { useQuery } from '@tanstack/react-query'
import { useController } from 'react-hook-form'
import { describedBy, FieldError, fieldClass, fieldId } from '@/components/form/Field'
import { useFieldError } from '@/components/form/fields'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { departmentsQuery } from '../departments/queries/list-departments'
import { chosenDepartments } from './chosen-departments'
import type { ContactValues } from './rules'

/** Chooses the departments of a contact in a scrolling list of checkboxes. */
export function DepartmentPicker() {
  // The order of ticking matters. Checkboxes that are registered with react-hook-form would return the departments in the order of the list instead.
  const {
    field: { ref, name, value, onChange, onBlur },
  } = useController<ContactValues, 'departments'>({ name: 'departments' })
  const { data: departments, isError } = useQuery(departmentsQuery)
  const error = useFieldError('departments')
  const id = fieldId('departments')
  return (
    <fieldset aria-describedby={describedBy(id, undefined, error)} className={fieldClass(error)}>
      <legend className="mb-1.5 font-strong">Departments</legend>
      <FieldError id={id} error={error} />
      <div
        id={id}
        ref={ref}
        tabIndex={-1}
        className="max-h-60 overflow-y-auto rounded border-[1.5px] border-input bg-card px-3.5"
      >
        {departments === undefined ? (
          <p className="py-3 text-muted-foreground">{isError ? 'Failed to load contact data' : 'Loading...'}</p>
        ) : null}
        {departments?.length === 0 ? (
          <p className="py-3 text-muted-foreground">No departments yet. Add your first department.</p>
        ) : null}
        {departments?.map((department) => (
          <label
            key={department.id}
            className="flex min-h-11 cursor-pointer items-center gap-3 border-b py-1.5 last:border-b-0"
          >
            <Checkbox
              name={name}
              checked={value.includes(department.id)}
              onChange={(event) => onChange(chosenDepartments(value, department.id, event.target.checked))}
              onBlur={onBlur}
            />
            <span className="[overflow-wrap:anywhere]">
              {department.name}
              <span className="text-muted-foreground"> · {department.schools?.name ?? 'Unknown School'}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
