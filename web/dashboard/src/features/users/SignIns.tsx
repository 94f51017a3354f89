import { Button } from '@cloch/ui/components/button'
import { path, remove } from '@/lib/api'
import { firstText, formatAgo } from '@/lib/format'
import { useAction } from '@/lib/use-action'
import { usersKey, type UserDetail } from './contract'

interface Entry {
  id: string
  name: string
  more: string
}

/** The identities, factors and sessions of a user. The operator can remove each of them. */
export function SignIns({ detail, mayChange }: { detail: UserDetail; mayChange: boolean }) {
  const { user, identities, factors, sessions } = detail
  const drop = useAction((at: string) => remove(at), {
    done: 'Removed',
    failed: 'Nothing was removed',
    refresh: [usersKey],
  })
  const take = (kind: string) =>
    mayChange ? (id: string) => drop.mutate(path`/users/${user.id}/` + path`${kind}/${id}`) : undefined
  return (
    <>
      <Entries
        title="Identities"
        none="None: signs in by nothing."
        verb="Remove"
        entries={identities.map(({ id, provider, email, last_sign_in_at }) => ({
          id,
          name: provider,
          more: [email, `last used ${formatAgo(last_sign_in_at)}`].filter(Boolean).join(', '),
        }))}
        onTake={identities.length > 1 ? take('identities') : undefined}
      />
      <Entries
        title="Second factors"
        none="None."
        verb="Remove"
        entries={factors.map(({ id, type, friendly_name, status }) => ({
          id,
          name: firstText(friendly_name) ?? type,
          more: `${type}, ${status}`,
        }))}
        onTake={take('factors')}
      />
      <Entries
        title="Sessions"
        none="Not signed in anywhere."
        verb="End"
        entries={sessions.map(({ id, created_at, refreshed_at, ip, user_agent, aal }) => ({
          id,
          name: firstText(user_agent) ?? 'Unknown program',
          more: [ip, aal, `since ${formatAgo(created_at)}`, refreshed_at && `seen ${formatAgo(refreshed_at)}`]
            .filter(Boolean)
            .join(', '),
        }))}
        onTake={take('sessions')}
      />
      {mayChange && sessions.length > 1 && (
        <Button
          variant="outline"
          size="compact"
          className="justify-self-start"
          onClick={() => drop.mutate(path`/users/${user.id}/sessions`)}
        >
          End all sessions
        </Button>
      )}
    </>
  )
}

interface EntriesProps {
  title: string
  none: string
  verb: string
  entries: Entry[]
  onTake: ((id: string) => void) | undefined
}

function Entries({ title, none, verb, entries, onTake }: EntriesProps) {
  return (
    <section>
      <h3 className="border-b-3 border-foreground pb-1">{title}</h3>
      {entries.length === 0 && <p className="py-1.5 text-muted-foreground">{none}</p>}
      <ul>
        {entries.map(({ id, name, more }) => (
          <li key={id} className="flex items-center gap-3 border-b py-1">
            <div className="min-w-0 flex-1">
              <p className="truncate">{name}</p>
              <p className="text-floor text-muted-foreground">{more}</p>
            </div>
            {onTake && (
              <Button variant="ghost" size="compact" aria-label={`${verb} ${name}`} onClick={() => onTake(id)}>
                {verb}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
