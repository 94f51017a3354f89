import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AreaField } from '@/components/fields'
import { path, put } from '@/lib/api'
import { useAction } from '@/lib/use-action'
import { usersKey, type User } from './contract'

/** The two metadata objects of an account, as JSON. The first can be changed by the user, the second only by the project. */
export function Metadata({ user, mayChange }: { user: User; mayChange: boolean }) {
  const [texts, setTexts] = useState({ user_metadata: show(user.user_metadata), app_metadata: show(user.app_metadata) })
  const read = { user_metadata: parse(texts.user_metadata), app_metadata: parse(texts.app_metadata) }
  const isChanged = texts.user_metadata !== show(user.user_metadata) || texts.app_metadata !== show(user.app_metadata)
  const save = useAction(
    () => put(path`/users/${user.id}`, { user_metadata: read.user_metadata.value, app_metadata: read.app_metadata.value }),
    { done: 'Saved', failed: 'Nothing was saved', refresh: [usersKey] },
  )
  const field = (name: keyof typeof texts, label: string, hint: string) => (
    <AreaField
      label={label}
      hint={hint}
      value={texts[name]}
      onChange={(text) => setTexts((before) => ({ ...before, [name]: text }))}
      error={read[name].problem}
      readOnly={!mayChange}
      rows={4}
      controlClassName="font-mono"
      spellCheck={false}
    />
  )
  return (
    <section className="grid gap-3">
      {field('user_metadata', 'User metadata', 'The user can change it: never decide by it who may do what.')}
      {field('app_metadata', 'App metadata', 'Only the project changes it: policies may rely on it.')}
      {isChanged && (
        <Button
          size="compact"
          className="justify-self-start"
          disabled={save.isPending || read.user_metadata.problem !== undefined || read.app_metadata.problem !== undefined}
          onClick={() => save.mutate()}
        >
          Save the metadata
        </Button>
      )}
    </section>
  )
}

const show = (value: unknown) => JSON.stringify(value, null, 2)

function parse(text: string): { value?: unknown; problem?: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'This must be an object.' }
    return { value }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
