import { Link } from 'react-router'
import { Code, Copyable } from '@/components/Copy'
import { Page, Section } from '@/components/Page'
import { Result } from '@/components/states'
import { formatCount } from '@/lib/format'
import { ApiKeys } from './ApiKeys'
import { DiskNotice } from './DiskNotice'
import { FirstSteps, areOpen, firstSteps } from './FirstSteps'
import { Health } from './Health'
import { Keys } from './Keys'
import { useBackups } from '@/lib/backups'
import { useProject, type Project } from '@/lib/project'
import { useMay } from '@/lib/session'

export function Component() {
  const project = useProject(true)
  return (
    <Page title={project.data?.name ?? 'Home'}>
      <Result query={project} what="the project">
        {(data) => <Overview project={data} />}
      </Result>
    </Page>
  )
}

function Overview({ project }: { project: Project }) {
  const backups = useBackups()
  // The first steps depend on the state of the backup. Therefore they are shown only when that state has been read.
  const steps = backups.data === undefined ? [] : firstSteps(project, backups.data.enabled)
  const mayChange = useMay('developer')
  return (
    <>
      <DiskNotice disk={project.disk} />
      {mayChange && areOpen(steps) && (
        <Section title="First steps">
          <FirstSteps steps={steps} />
        </Section>
      )}
      <Health project={project} />
      <Figures counts={project.counts} />
      <div className="grid gap-8 xl:grid-cols-[minmax(0,11fr)_minmax(0,10fr)]">
        <div className="grid content-start gap-8">
          <Section title="In your app">
            <Code text={client(project)} label="supabase-js client" />
          </Section>
        </div>
        <div className="grid content-start gap-8">
          <Section title="Addresses and public keys">
            <div>
              <Copyable name="URL" value={project.url} />
              <Copyable name="Publishable key" value={project.publishable_key} />
              <Copyable name="Legacy anon key" value={project.anon_key} isCut />
              {Object.entries(project.api).map(([name, url]) => (
                <Copyable key={name} name={name} value={url} />
              ))}
            </div>
          </Section>
        </div>
      </div>
      <ApiKeys />
      <div className="grid gap-8 xl:grid-cols-[minmax(0,11fr)_minmax(0,10fr)]">
        <Keys />
        <Section title="Server">
          <p>
            Cloch {project.version}, PostgreSQL {project.database.version}
            {project.is_local ? ', for this machine only' : ''}.
            {project.inbox_url && (
              <>
                {' '}
                Mail stays here: <a href={project.inbox_url}>open the inbox</a>.
              </>
            )}
          </p>
        </Section>
      </div>
    </>
  )
}

const client = ({ url, publishable_key }: Project) => `import { createClient } from '@supabase/supabase-js'

export const supabase = createClient(
  '${url}',
  '${publishable_key}',
)

const { data, error } = await supabase.from('notes').select()`

const places = {
  tables: '/tables',
  users: '/users',
  buckets: '/files',
  functions: '/functions',
  operators: '/operators',
} as const

/** The numbers of tables, users, files and so on, below one heading. */
function Figures({ counts }: { counts: Project['counts'] }) {
  return (
    <ul className="grid grid-cols-2 border-t-6 border-foreground sm:grid-cols-5">
      {Object.entries(places).map(([name, to]) => (
        <li key={name} className="border-r border-b bg-card max-sm:last:col-span-2 sm:first:border-l">
          <Link
            to={to}
            className="grid px-4 py-2.5 text-foreground no-underline hover:bg-accent focus-visible:-outline-offset-3"
          >
            <span className="text-small text-muted-foreground first-letter:uppercase">{name}</span>
            <span className="font-display text-[1.5rem] font-bold">{formatCount(counts[name as keyof typeof places])}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
