import type { Unit } from './unit'

/** Style of a series. Lines also differ by their dashes or their order, and areas by their position, so that nobody depends on colours alone. */
interface Look {
  stroke: string
  fill: string
  dash?: string
}

export interface Series {
  /** Name of the series in the response. */
  name: string
  label: string
  look: Look
}

export interface ChartSpec {
  title: string
  /** Short description of what is measured. */
  about: string
  unit: Unit
  series: readonly Series[]
  form: 'layers' | 'lines'
  /** Whether the vertical axis begins at zero. If not, it covers only the range of the values. This is better for sizes. */
  isFromZero: boolean
  /** Name of the series that contains the maximum possible value. */
  most?: string
}

const pool = { stroke: 'stroke-photographer', fill: 'fill-photographer' }
const heather = { stroke: 'stroke-musician', fill: 'fill-musician' }
const gorse = { stroke: 'stroke-warning', fill: 'fill-warning' }
const funnel = { stroke: 'stroke-artist', fill: 'fill-artist' }
const green = { stroke: 'stroke-success', fill: 'fill-success' }
const slate = { stroke: 'stroke-muted-foreground', fill: 'fill-muted-foreground' }
const red = { stroke: 'stroke-destructive', fill: 'fill-destructive' }
const dashed = '6 4'

const series = (name: string, label: string, look: Look, dash?: string): Series => ({
  name,
  label,
  look: dash === undefined ? look : { ...look, dash },
})

export const requests: ChartSpec = {
  title: 'Requests',
  about: 'By API, answered in a second',
  unit: 'rate',
  form: 'layers',
  isFromZero: true,
  series: [
    series('requests_rest', 'Tables', pool),
    series('requests_auth', 'Auth', heather),
    series('requests_storage', 'Storage', gorse),
    series('requests_functions', 'Functions', funnel),
    series('requests_realtime', 'Realtime', green),
    series('requests_web', 'Web app', slate),
  ],
}

export const errors: ChartSpec = {
  title: 'Errors',
  about: 'Failed here (5xx) and refused (4xx)',
  unit: 'rate',
  form: 'layers',
  isFromZero: true,
  series: [series('errors_5xx', '5xx', red), series('errors_4xx', '4xx', gorse)],
}

export const latency: ChartSpec = {
  title: 'Latency',
  about: 'Within which 50, 95 and 99 % were answered',
  unit: 'ms',
  form: 'lines',
  isFromZero: true,
  series: [
    series('latency_p50_ms', 'p50', pool),
    series('latency_p95_ms', 'p95', heather),
    series('latency_p99_ms', 'p99', funnel),
  ],
}

/** A chart with one line. */
const one = (title: string, about: string, unit: Unit, name: string, isFromZero: boolean, most?: string): ChartSpec => ({
  title,
  about,
  unit,
  isFromZero,
  form: 'lines',
  series: [series(name, title, pool)],
  ...(most === undefined ? {} : { most }),
})

/** All charts, in the order of the page. */
export const groups: readonly { title: string; charts: readonly ChartSpec[] }[] = [
  { title: 'Requests', charts: [requests, errors, latency] },
  {
    title: 'Realtime and functions',
    charts: [
      one('Realtime connections', 'Open sockets', 'count', 'realtime_connections', true),
      {
        title: 'Realtime messages',
        about: 'To clients and from clients',
        unit: 'rate',
        form: 'lines',
        isFromZero: true,
        series: [series('realtime_messages_out', 'Out', pool), series('realtime_messages_in', 'In', heather, dashed)],
      },
      {
        title: 'Function calls',
        about: 'Calls, and those that failed (5xx)',
        unit: 'rate',
        form: 'lines',
        isFromZero: true,
        series: [series('function_calls', 'Calls', pool), series('function_failures', 'Failed', red, dashed)],
      },
    ],
  },
  {
    title: 'Database',
    charts: [
      one('Database size', 'On the disk of PostgreSQL', 'bytes', 'database_bytes', false),
      one('Connections', 'Of clients to PostgreSQL', 'count', 'database_connections', true, 'database_max_connections'),
      one('Log kept back', 'For the slot that is furthest behind', 'bytes', 'database_slot_bytes', true),
    ],
  },
  {
    title: 'Program and machine',
    charts: [
      one('In flight', 'Requests without an answer yet', 'count', 'in_flight', true),
      one('Memory', 'Resident memory of this program', 'bytes', 'memory_bytes', false),
      one('Free disk', 'Where the data folder is', 'bytes', 'disk_free_bytes', false),
      one('Age of the backup', 'Since the last moment to restore', 'age', 'backup_age_seconds', true),
    ],
  },
]
