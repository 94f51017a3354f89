import { CheckField, AreaField, Field, SelectField, control } from '@/components/fields'
import type { As } from '@/lib/as'
import type { Reference, TableColumn } from '@/lib/schema'
import { choices } from './CellEditor'
import { ChooseReference } from './ChooseReference'
import type { Value } from './edits'

interface ValueFieldProps {
  column: TableColumn
  value: Value
  /** The referenced table and column, if the column is a foreign key that consists of one column. */
  reference: Reference | undefined
  as: As | null
  onChange: ((value: Value) => void) | undefined
}

/**
 * Field for the value of a column. If the type has few values, it is a select; if the browser has a date field for the type, it is that field;
 * otherwise it is a text field.
 */
export function ValueField({ column, value, reference, as, onChange }: ValueFieldProps) {
  const text = typeof value === 'string' ? (column.base === 'boolean' ? (value.startsWith('t') ? 'true' : 'false') : value) : ''
  const options = choices(column)
  const isDefault = typeof value === 'object' && value !== null
  const hint = `${column.type}${column.default === null ? '' : `, default ${column.default}`}${column.comment === null ? '' : `. ${column.comment}`}`
  const disabled = onChange === undefined
  const isMissing = column.default === null && column.identity === null && !column.nullable
  const empty = isDefault ? (isMissing ? 'required' : 'default') : value === null ? 'null' : ''
  return (
    <div className="flex flex-wrap items-end gap-3 [&>:first-child]:min-w-0 [&>:first-child]:flex-1">
      {options ? (
        <SelectField
          label={column.name}
          hint={hint}
          value={text}
          disabled={disabled}
          onChange={(next) => onChange?.(next === '' ? null : next)}
        >
          <option value="">{empty || 'null'}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </SelectField>
      ) : column.base === 'json' || column.base === 'text' || column.base === 'array' ? (
        <AreaField
          label={column.name}
          hint={hint}
          value={text}
          placeholder={empty}
          disabled={disabled}
          rows={text.length > 60 ? 5 : 1}
          spellCheck={column.base === 'text'}
          onChange={(next) => onChange?.(next)}
          controlClassName={column.base === 'text' ? '' : 'font-mono'}
        />
      ) : (
        <Field label={column.name} hint={hint}>
          {(wiring) => (
            <input
              {...wiring}
              className={control}
              value={text}
              placeholder={empty}
              disabled={disabled}
              type={column.base === 'date' ? 'date' : 'text'}
              inputMode={column.base === 'number' ? 'decimal' : 'text'}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onChange?.(event.target.value)}
            />
          )}
        </Field>
      )}
      {!disabled && reference && <ChooseReference column={column.name} {...{ reference, value, as, onChange }} />}
      {!disabled && column.nullable && (
        <CheckField
          label={
            <>
              <span className="sr-only">{column.name} is </span>null
            </>
          }
          checked={value === null}
          onChange={(isNull) => onChange(isNull ? null : '')}
        />
      )}
    </div>
  )
}
