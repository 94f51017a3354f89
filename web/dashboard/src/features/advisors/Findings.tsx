import { useQuery } from '@tanstack/react-query'
import { CircleAlert, Info, TriangleAlert, Wrench } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { SelectField } from '@/components/fields'
import { Section } from '@/components/Page'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty, Result } from '@/components/states'
import { get, post } from '@/lib/api'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { IgnoreDialog } from './IgnoreDialog'

interface Lint {
  name: string
  title: string
  level: 'ERROR' | 'WARN' | 'INFO'
  categories: ('SECURITY' | 'PERFORMANCE')[]
  description: string
  detail: string
  remediation: string
  metadata: { schema?: string; name?: string; type?: string }
  cache_key: string
  fix?: string | null
  reason?: string
}

interface Report {
  lints: Lint[]
  ignored: Lint[]
}

/** Problems of the schema. Each problem has a statement that fixes it. */
export function Findings() {
  const [search, setSearch] = useAddressQuery()
  const category = search.get('category') ?? ''
  const report = useQuery({ queryKey: ['advisors'], queryFn: ({ signal }) => get<Report>('/advisors', {}, signal) })
  return (
    <div className="grid gap-5">
      <SelectField
        label="Show"
        className="w-48"
        value={category}
        onChange={(value) => setSearch(value === '' ? {} : { category: value }, { replace: true })}
      >
        <option value="">Everything</option>
        <option value="SECURITY">Security</option>
        <option value="PERFORMANCE">Performance</option>
      </SelectField>
      <Result query={report} what="what the advisors say">
        {({ lints, ignored }) => <Rules lints={lints.filter(isIn(category))} ignored={ignored.filter(isIn(category))} />}
      </Result>
    </div>
  )
}

const isIn =
  (category: string) =>
  ({ categories }: Lint) =>
    category === '' || categories.some((one) => one === category)

/** The findings, grouped by rule. The most severe rules are first. */
function Rules({ lints, ignored }: Report) {
  const rules = [...new Set(lints.map(({ name }) => name))].map((rule) => lints.filter(({ name }) => name === rule))
  return (
    <>
      {rules.length === 0 && <Empty title="The advisors have nothing to say." />}
      {rules.map((rule) => (
        <Rule key={rule[0]?.name} findings={rule} />
      ))}
      {ignored.length > 0 && (
        <Section title={`Ignored (${ignored.length})`}>
          <ul>
            {ignored.map((finding) => (
              <IgnoredFinding key={finding.cache_key} finding={finding} />
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

function IgnoredFinding({ finding }: { finding: Lint }) {
  const mayChange = useMay('developer')
  const { name, title, detail, reason } = finding
  const unignore = useAction(
    () => post<{ removed: { on: string[] }[] }>('/advisors/unignore', { lint: name, on: objectOf(finding) }),
    {
      done: ({ removed }) =>
        removed.some(({ on }) => on.length === 0) ? 'All findings of the rule are shown again' : 'The finding is shown again',
      failed: 'The finding is still ignored',
      refresh: [['advisors'], ['settings', 'editable']],
    },
  )
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1 border-b py-2">
      <p className="min-w-0 flex-1 basis-72">
        <span className="font-strong">{title}</span>: {detail} <span className="text-muted-foreground">Because: {reason}</span>
      </p>
      {mayChange && (
        <Button
          variant="ghost"
          size="compact"
          aria-label={`Stop ignoring: ${detail}`}
          disabled={unignore.isPending}
          onClick={() => unignore.mutate()}
        >
          Stop ignoring
        </Button>
      )}
    </li>
  )
}

/** Returns the object that violates the rule, as `schema.name`. */
const objectOf = ({ metadata }: Lint) => `${metadata.schema ?? ''}.${metadata.name ?? ''}`

function Rule({ findings }: { findings: Lint[] }) {
  const [first] = findings
  if (!first) return null
  return (
    <Section title={first.title} actions={<Level level={first.level} />}>
      <p className="max-w-[52em] text-muted-foreground">
        {first.description} {first.remediation}
      </p>
      <ul>
        {findings.map((finding) => (
          <Finding key={finding.cache_key} finding={finding} />
        ))}
      </ul>
    </Section>
  )
}

const levels = {
  ERROR: { tone: 'destructive', icon: CircleAlert, word: 'Error' },
  WARN: { tone: 'muted', icon: TriangleAlert, word: 'Warning' },
  INFO: { tone: 'firth', icon: Info, word: 'Note' },
} as const

function Level({ level }: { level: Lint['level'] }) {
  const { tone, icon: Icon, word } = levels[level]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {word}
    </Badge>
  )
}

function Finding({ finding }: { finding: Lint }) {
  const review = useReviewSql()
  const mayChange = useMay('developer')
  const [isIgnoring, setIgnoring] = useState(false)
  const { detail, fix, name, metadata, title } = finding
  const migration = `${name}_${metadata.name ?? ''}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 60)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b py-1.5">
      <p className="min-w-0 flex-1 basis-72">{detail}</p>
      {mayChange && (
        <div className="flex gap-1">
          {fix && (
            <Button
              variant="outline"
              size="compact"
              aria-label={`Fix: ${detail}`}
              onClick={() => review({ title: `Fix: ${title}`, sql: fix, migration, done: 'Fixed' })}
            >
              <Wrench aria-hidden />
              Fix
            </Button>
          )}
          <Button variant="ghost" size="compact" aria-label={`Ignore: ${detail}`} onClick={() => setIgnoring(true)}>
            Ignore
          </Button>
        </div>
      )}
      {isIgnoring && <IgnoreDialog lint={name} on={objectOf(finding)} detail={detail} onClose={() => setIgnoring(false)} />}
    </li>
  )
}
