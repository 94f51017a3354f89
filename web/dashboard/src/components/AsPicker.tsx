import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { get } from '@/lib/api'
import type { As } from '@/lib/as'
import { AreaField, SelectField, TextField } from './fields'

interface AsPickerProps {
  value: As
  onChange: (as: As) => void
  /** Roles that the user can choose, in addition to “a user” and “custom claims”. */
  roles?: readonly ('postgres' | 'service_role' | 'anon')[]
  label?: string
}

interface Found {
  id: string
  email?: string | null
  phone?: string | null
}

/** Chooses the caller whose rights are used: a role, a user from the list, or a caller with the given token claims. */
export function AsPicker({ value, onChange, roles = ['anon', 'service_role', 'postgres'], label = 'View as' }: AsPickerProps) {
  const kind = 'role' in value ? value.role : 'user' in value ? 'user' : 'claims'
  const choose = (next: string) => {
    if (next === 'user') onChange({ user: '' })
    else if (next === 'claims') onChange({ claims: { role: 'authenticated' } })
    else onChange({ role: roles.find((role) => role === next) ?? 'anon' })
  }
  return (
    <div className="grid content-start gap-3">
      <SelectField label={label} value={kind} onChange={choose}>
        {roles.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
        <option value="user">A user…</option>
        <option value="claims">Claims…</option>
      </SelectField>
      {'user' in value && <UserPicker chosen={value.user} onChoose={(user) => onChange({ user })} />}
      {'claims' in value && <ClaimsField value={value.claims} onChange={(claims) => onChange({ claims })} />}
    </div>
  )
}

function UserPicker({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }) {
  const [search, setSearch] = useState('')
  const users = useQuery({
    queryKey: ['users', 'pick', search],
    queryFn: ({ signal }) => get<{ users: Found[] }>('/users', { search, per_page: 20 }, signal),
    placeholderData: (before) => before,
  })
  const found = users.data?.users ?? []
  return (
    <div className="grid gap-2">
      <TextField label="Find a user" value={search} onChange={setSearch} type="search" autoComplete="off" />
      <SelectField label="User" value={chosen} onChange={onChoose}>
        <option value="">Choose…</option>
        {chosen !== '' && !found.some(({ id }) => id === chosen) && <option value={chosen}>{chosen}</option>}
        {found.map(({ id, email, phone }) => (
          <option key={id} value={id}>
            {email ?? phone ?? id}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

function ClaimsField({
  value,
  onChange,
}: {
  value: Record<string, unknown>
  onChange: (claims: Record<string, unknown>) => void
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [error, setError] = useState<string>()
  const change = (next: string) => {
    setText(next)
    try {
      const claims: unknown = JSON.parse(next)
      if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw new Error('Claims are an object.')
      setError(undefined)
      onChange(claims as Record<string, unknown>)
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem))
    }
  }
  return (
    <AreaField
      label="Claims (JSON)"
      value={text}
      onChange={change}
      error={error}
      controlClassName="font-mono"
      spellCheck={false}
    />
  )
}
