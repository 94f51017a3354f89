import {
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
  type LucideIcon,
} from 'lucide-react'

export interface PageEntry {
  path: string
  name: string
  icon: LucideIcon
  /** Other words somebody may look for. */
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
      entry('/advisors', 'Advisors', Gauge, 'lints security performance index'),
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

export const pages: readonly PageEntry[] = groups.flatMap((group) => group.pages)
