import {
  Boxes,
  ChartLine,
  Clock,
  Code2,
  Database,
  FileText,
  Files,
  Gauge,
  HardDrive,
  House,
  Inbox,
  Lock,
  Logs,
  Radio,
  ScrollText,
  ShieldQuestion,
  SlidersHorizontal,
  Table2,
  UserCog,
  Users,
  Workflow,
  type LucideIcon,
} from 'lucide-react'

export interface PageEntry {
  path: string
  name: string
  icon: LucideIcon
  /** Additional words by which the search finds the page. */
  words: string
}

interface PageGroup {
  name: string
  pages: readonly PageEntry[]
}

const entry = (path: string, name: string, icon: LucideIcon, words = ''): PageEntry => ({ path, name, icon, words })

/** Every page, in the order of the navigation. */
export const groups: readonly PageGroup[] = [
  { name: 'Project', pages: [entry('/', 'Home', House, 'start keys url api first steps')] },
  {
    name: 'Data',
    pages: [
      entry('/tables', 'Tables', Table2, 'rows columns grid editor schema'),
      entry('/diagram', 'Diagram', Workflow, 'schema erd foreign keys relations'),
      entry('/database', 'Database', Boxes, 'objects catalog'),
      entry('/sql', 'SQL', Database, 'query editor snippets explain migrations'),
      entry('/api-docs', 'API', Code2, 'docs supabase-js curl typescript rest'),
    ],
  },
  {
    name: 'Access',
    pages: [
      entry('/users', 'Users', Users, 'auth invite ban sessions sign-in'),
      entry('/policies', 'Policies', Lock, 'rls row level security matrix'),
      entry('/why', 'Why refused', ShieldQuestion, 'denied 403 42501 empty list rls explain'),
      entry('/advisors', 'Advisors', Gauge, 'lints security performance index slow statements queries pg_stat_statements'),
    ],
  },
  {
    name: 'Services',
    pages: [
      entry('/files', 'Files', Files, 'storage buckets upload objects'),
      entry('/functions', 'Functions', FileText, 'edge deno secrets'),
      entry('/realtime', 'Realtime', Radio, 'channels broadcast presence changes inspector'),
      entry('/jobs', 'Cron and queues', Clock, 'pg_cron pgmq schedule messages'),
      entry('/mail', 'Mail', Inbox, 'outbox inbox e-mail smtp'),
    ],
  },
  {
    name: 'Operations',
    pages: [
      entry('/logs', 'Logs', Logs, 'requests errors status'),
      entry('/metrics', 'Metrics', ChartLine, 'charts slow latency errors memory disk growth monitoring'),
      entry('/backups', 'Backups', HardDrive, 'restore drill'),
      entry('/settings', 'Settings', SlidersHorizontal, 'config.toml cloch.toml'),
      entry('/operators', 'Operators', UserCog, 'roles invite owners'),
      entry('/audit', 'Audit', ScrollText, 'who did what'),
    ],
  },
]

/** The parts of the page Database. The navigation does not contain them, but the search finds them. */
const inDatabase: readonly PageEntry[] = [
  entry('/database/functions', 'Database functions', Boxes, 'procedures rpc'),
  entry('/database/triggers', 'Triggers', Boxes),
  entry('/database/webhooks', 'Database webhooks', Boxes, 'hooks http request pg_net'),
  entry('/database/indexes', 'Indexes', Boxes),
  entry('/database/enums', 'Enums', Boxes, 'types'),
  entry('/database/extensions', 'Extensions', Boxes),
  entry('/database/roles', 'Database roles', Boxes, 'memberships'),
  entry('/database/publications', 'Publications', Boxes, 'realtime'),
]

export const pages: readonly PageEntry[] = [...groups.flatMap((group) => group.pages), ...inDatabase]

/** Address of the documentation, which the program serves itself. It is not a page of this app. */
export const documentation = '/_/docs/'
