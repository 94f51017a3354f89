import { Section } from '@/components/Page'
import type { Project } from '@/lib/project'
import { useBackups } from '@/lib/backups'
import { errors, latency, requests, type ChartSpec } from '@/lib/metrics/charts'
import { useMetrics, type Metrics } from '@/lib/metrics/contract'
import {
  advisorsVerdict,
  backupVerdict,
  cronVerdict,
  diskVerdict,
  functionsVerdict,
  jobsVerdict,
  outgoingVerdict,
  queuesVerdict,
  replicationVerdict,
} from './checks'
import { useCron, useFindings, useFunctionList, useHealth, useQueues } from './contract'
import { HealthCard, type Read } from './HealthCard'
import { SmallChart } from './SmallChart'
import { errorsVerdict, latencyVerdict, requestsVerdict } from './traffic'
import { summaryOf, type Verdict } from './verdict'

/** Only p50 and p99 are shown, because a small chart has no room for three lines. */
const shortLatency: ChartSpec = { ...latency, series: latency.series.filter(({ name }) => name !== 'latency_p95_ms') }

interface Card {
  title: string
  to: string
  verdict: Verdict | undefined
  reads: Read[]
  chart?: ChartSpec
}

/** The health of the project. Each part has a card, with a link to the part's page. Every operator may read this. */
export function Health({ project }: { project: Project }) {
  const metrics = useMetrics('1h')
  const cards = useCards(project, metrics.data, metrics)
  const summary = summaryOf(cards.map(({ verdict }) => verdict?.level))
  return (
    <Section title="Health">
      <p role="status" className="min-h-[1lh] font-strong">
        {summary}
      </p>
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {cards.map(({ chart, ...card }) => (
          <HealthCard key={card.title} {...card}>
            {chart && metrics.data && <SmallChart spec={chart} data={metrics.data} />}
          </HealthCard>
        ))}
      </ul>
    </Section>
  )
}

function useCards(project: Project, measured: Metrics | undefined, metrics: Read): Card[] {
  const [backups, findings, functions] = [useBackups(), useFindings(), useFunctionList()]
  const [cron, queues, health] = [useCron(), useQueues(), useHealth()]
  const replication = health.data && replicationVerdict(health.data.replication)
  const failures = measured?.series.errors_5xx?.some((rate) => (rate ?? 0) > 0)
  return [
    {
      title: 'Requests',
      to: '/metrics',
      verdict: measured && requestsVerdict(measured),
      reads: [metrics],
      chart: requests,
    },
    {
      title: 'Errors',
      to: failures ? '/logs?status=5xx' : '/metrics',
      verdict: measured && errorsVerdict(measured),
      reads: [metrics],
      chart: errors,
    },
    {
      title: 'Latency',
      to: '/metrics',
      verdict: measured && latencyVerdict(measured),
      reads: [metrics],
      chart: shortLatency,
    },
    {
      title: 'Backup',
      to: '/backups',
      verdict: backups.data && backupVerdict(backups.data, project.is_local),
      reads: [backups],
    },
    {
      title: 'Disk',
      to: '/metrics',
      verdict: project.disk || measured ? diskVerdict(project.disk, measured?.series.disk_free_bytes?.at(-1)) : undefined,
      reads: [metrics],
    },
    { title: 'Advisors', to: '/advisors', verdict: findings.data && advisorsVerdict(findings.data.lints), reads: [findings] },
    { title: 'Functions', to: '/functions', verdict: functions.data && functionsVerdict(functions.data), reads: [functions] },
    {
      title: 'Jobs and webhooks',
      to: '/jobs',
      verdict:
        cron.data && queues.data && health.data
          ? jobsVerdict([cronVerdict(cron.data.jobs), queuesVerdict(queues.data.queues), outgoingVerdict(health.data.requests)])
          : undefined,
      reads: [cron, queues, health],
    },
    ...(replication ? [{ title: 'Replication', to: '/metrics', verdict: replication, reads: [health] }] : []),
  ]
}
