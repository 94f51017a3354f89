import { useLocation } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Section } from '@/components/Page'
import { useReviewSql } from '@/components/ReviewSql'
import type { Publication, TableDetail } from '@/lib/schema'
import { identifier, qualified } from '@/lib/sql-text'

/** The publications that send changes of the table's rows. Realtime uses the publication `supabase_realtime`. */
export function Publications({ table, mayChange }: { table: TableDetail; mayChange: boolean }) {
  const review = useReviewSql()
  const { hash } = useLocation()
  const toggle = ({ name, named }: Publication) =>
    review({
      title: named ? `Stop sending changes of ${table.name} to ${name}` : `Send changes of ${table.name} to ${name}`,
      sql: `alter publication ${identifier(name)} ${named ? 'drop' : 'add'} table ${qualified(table.schema, table.name)};`,
      migration: `${named ? 'drop_from' : 'add_to'}_${name}_${table.name}`
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .slice(0, 60),
      done: named ? 'Its changes are sent there no longer' : 'Its changes are sent',
    })
  return (
    <div id={id} ref={hash === `#${id}` ? scrollTo : undefined}>
      <Section title="Publications">
        <DataTable
          label="Publications"
          rows={table.publications}
          rowKey={({ name }) => name}
          columns={[
            { name: 'Name', cell: ({ name }) => (name === 'supabase_realtime' ? `${name} (Realtime)` : name) },
            { name: 'Changes of this table', cell: (publication) => standing(publication) },
            ...(mayChange
              ? [
                  {
                    name: 'Change',
                    isHeadHidden: true,
                    hasButtons: true,
                    cell: (publication: Publication) =>
                      !publication.whole && (
                        <Button
                          variant="ghost"
                          size="compact"
                          aria-label={`${publication.named ? 'Stop sending' : 'Send'} changes to ${publication.name}`}
                          onClick={() => toggle(publication)}
                        >
                          {publication.named ? 'Stop sending' : 'Send'}
                        </Button>
                      ),
                  },
                ]
              : []),
          ]}
        />
      </Section>
    </div>
  )
}

/**
 * Id of this section. Links lead to it. When the section is rendered, the browser has already searched for this id without success, so the page
 * scrolls to it itself.
 */
const id = 'publications'
const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView()

function standing({ sends, whole }: Publication): string {
  if (whole) return 'sent, with every table of the schema or the database'
  return sends ? 'sent' : 'not sent'
}
