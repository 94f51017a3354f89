import { useState } from 'react'
import { CheckField, TextField } from '@/components/fields'
import type { DatabaseRole } from '@/lib/catalog'
import { attributes, draftOf, emptyRole, roleSql, saveRole, type RoleDraft } from './role-sql'
import { SqlForm } from './SqlForm'

/** Roles of the platform. A role of the project can be made a member of them. */
const offered = ['anon', 'authenticated', 'service_role']

interface RoleFormProps {
  role: DatabaseRole | undefined
  roles: readonly DatabaseRole[]
  onClose: () => void
}

/** Form for a new or changed role. It has no field for a password, because the form shows its SQL, and so would show the password. */
export function RoleForm({ role, roles, onClose }: RoleFormProps) {
  const [before] = useState(role && draftOf(role))
  const [draft, setDraft] = useState<RoleDraft>(before ?? emptyRole)
  const set = (part: Partial<RoleDraft>) => setDraft((known) => ({ ...known, ...part }))
  const own = roles.filter(({ platform, name }) => !platform && name !== role?.name).map(({ name }) => name)
  const groups = [...new Set([...offered, ...own, ...(before?.memberOf ?? [])])]
  const isWhole = draft.name.trim() !== '' && roleSql(draft, before) !== ''
  return (
    <SqlForm
      title={role ? `Role ${role.name}` : 'New role'}
      change={isWhole ? saveRole(draft, before) : undefined}
      missing={role ? 'Nothing is changed.' : 'A role needs a name.'}
      isDirty={draft !== (before ?? emptyRole)}
      onClose={onClose}
    >
      {!role && (
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => set({ name })}
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <fieldset className="grid gap-1">
        <legend className="text-small font-strong">Attributes</legend>
        {attributes.map(([name, words]) => (
          <CheckField
            key={name}
            label={words}
            checked={draft[name]}
            onChange={(value) => setDraft((known) => ({ ...known, [name]: value }))}
          />
        ))}
        {draft.login && (
          <p className="text-floor text-muted-foreground">
            Set its password in psql with \password: the dashboard shows all SQL that it runs.
          </p>
        )}
      </fieldset>
      <CheckField
        label="Tokens of the API may name it"
        hint="Then authenticator is a member of it."
        checked={draft.api}
        onChange={(api) => set({ api })}
      />
      <fieldset className="grid gap-1">
        <legend className="text-small font-strong">Member of</legend>
        <div className="flex flex-wrap gap-x-5">
          {groups.map((group) => (
            <CheckField
              key={group}
              label={group}
              checked={draft.memberOf.includes(group)}
              onChange={(isMember) =>
                set({ memberOf: isMember ? [...draft.memberOf, group] : draft.memberOf.filter((one) => one !== group) })
              }
            />
          ))}
        </div>
      </fieldset>
    </SqlForm>
  )
}
