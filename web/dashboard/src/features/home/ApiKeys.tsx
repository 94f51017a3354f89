import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Section } from '@/components/Page'
import { Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { NewApiKey, RevokeApiKey } from './ApiKeyDialogs'
import { apiKeysKey, nameOf, type ApiKey } from './contract'

/**
 * The API keys, without their secret values. To replace a key without an interruption, the operator first creates a new key, then revokes the old
 * one.
 */
export function ApiKeys() {
  const isDeveloper = useMay('developer')
  const isOwner = useMay('owner')
  const keys = useQuery({
    queryKey: apiKeysKey,
    queryFn: ({ signal }) => get<{ keys: ApiKey[] }>('/api-keys', {}, signal),
    enabled: isDeveloper,
  })
  const [open, setOpen] = useState<ApiKey | 'new'>()
  const close = () => setOpen(undefined)
  if (!isDeveloper) return null
  return (
    <Section title="API keys">
      <Result query={keys} what="the API keys">
        {(data) => <KeyTable keys={data.keys} onRevoke={isOwner ? setOpen : undefined} />}
      </Result>
      {isOwner && (
        <Button variant="outline" size="compact" className="justify-self-start" onClick={() => setOpen('new')}>
          <Plus aria-hidden />
          New API key
        </Button>
      )}
      {open === 'new' && <NewApiKey onClose={close} />}
      {open !== undefined && open !== 'new' && <RevokeApiKey apiKey={open} onClose={close} />}
    </Section>
  )
}

function KeyTable({ keys, onRevoke }: { keys: readonly ApiKey[]; onRevoke: ((key: ApiKey) => void) | undefined }) {
  return (
    <DataTable
      label="API keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { name: 'Key', className: 'font-strong break-words', cell: nameOf },
        { name: 'Kind', cell: ({ kind }) => kind },
        {
          name: 'Since',
          className: 'whitespace-nowrap',
          cell: ({ created_at }) => (created_at === null ? 'the project’s own' : formatTime(created_at)),
        },
        {
          name: 'State',
          cell: ({ is_revoked }) => <Badge tone={is_revoked ? 'muted' : 'success'}>{is_revoked ? 'revoked' : 'valid'}</Badge>,
        },
        {
          name: 'Change',
          isHeadHidden: true,
          hasButtons: true,
          cell: (key) =>
            onRevoke &&
            !key.is_revoked && (
              <Button variant="ghost" size="compact" aria-label={`Revoke ${nameOf(key)}`} onClick={() => onRevoke(key)}>
                Revoke
              </Button>
            ),
        },
      ]}
    />
  )
}
