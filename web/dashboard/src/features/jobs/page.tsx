import { Page } from '@/components/Page'
import { CronJobs } from './CronJobs'
import { Queues } from './Queues'

/** Page with the cron jobs and the queues. */
export function Component() {
  return (
    <Page title="Cron and queues" lede="Statements that PostgreSQL runs by the clock, and queues of messages.">
      <CronJobs />
      <Queues />
    </Page>
  )
}
