import { KeyRound } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { Copyable } from '@/components/Copy'
import { Section } from '@/components/Page'
import { post } from '@/lib/api'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'

const names = {
  secret_key: 'Secret key',
  service_role_key: 'Legacy service_role key',
  jwt_secret: 'JWT secret',
  db_url: 'Database URL',
  s3_access_key: 'S3 access key',
  s3_secret_key: 'S3 secret key',
  access_token: 'Management token',
} as const

type Keys = Partial<Record<keyof typeof names, string | null>>

/** The keys that bypass all policies. They are fetched only when an owner asks for them; the audit log records this. One key is shown at a time. */
export function Keys() {
  const isOwner = useMay('owner')
  const keys = useAction(() => post<Keys>('/project/keys'), { failed: 'The keys were not given' })
  if (!isOwner) return null
  return (
    <Section title="Secret keys">
      {keys.data ? (
        <div>
          {Object.entries(names).map(([key, name]) => {
            const value = keys.data[key as keyof typeof names]
            return value ? <Copyable key={key} name={name} value={value} isSecret /> : null
          })}
        </div>
      ) : (
        <div className="grid justify-items-start gap-2">
          <p className="text-muted-foreground">
            Who has them reads and writes everything. That you looked is recorded in the audit.
          </p>
          <Button variant="outline" size="compact" disabled={keys.isPending} onClick={() => keys.mutate()}>
            <KeyRound aria-hidden />
            Show the secret keys
          </Button>
        </div>
      )}
    </Section>
  )
}
