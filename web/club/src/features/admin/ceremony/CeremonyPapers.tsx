import { useMutation, useQuery } from '@tanstack/react-query'
import { Award as AwardIcon, ScrollText } from 'lucide-react'
import { useMemo } from 'react'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Submissions } from '../entries/submissions'
import { entryMailsQuery } from '../state-mails/queries/state-mails'
import { honours } from './honours'
import { savePaper, type PaperName } from './papers'

/** The ceremony's documents as PDF: a certificate for each winner and each place, and the programme. */
export function CeremonyPapers({ submissions }: { submissions: Submissions }) {
  const { data: mails } = useQuery(entryMailsQuery)
  const all = useMemo(() => {
    const winners = new Set<string>(mails?.filter(({ state }) => state === 'winner').map(({ entry }) => entry))
    return honours(submissions, winners)
  }, [submissions, mails])
  const save = useMutation({
    mutationFn: (name: PaperName) => savePaper(name, all),
    onSuccess: () => notifySuccess({ title: 'Success', description: 'File downloaded successfully' }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
  })
  const withheld = all.filter(({ isPublic }) => !isPublic)
  return (
    <section aria-labelledby="ceremony-papers" className="mt-12 grid gap-3">
      <h2 id="ceremony-papers" className="text-[1.375rem] leading-tight">
        Ceremony
      </h2>
      {all.length === 0 ? (
        <p className="text-muted-foreground">
          Certificates and the programme list entries with a place and entries that have the mail of a winner. There are none
          yet.
        </p>
      ) : (
        <>
          <p>
            {all.length === 1 ? '1 winner or place' : `${all.length} winners and places`}. Guests get the programme: it names
            whoever has agreed to publicity.
          </p>
          {withheld.length === 0 ? null : (
            <p className="[overflow-wrap:anywhere]">
              Not named in the programme, because no consent is recorded: {withheld.map(({ name }) => name).join(', ')}.
            </p>
          )}
          {save.data && save.data.length > 0 ? (
            <div role="status" className="grid gap-1 [overflow-wrap:anywhere]">
              <p>Left out of the {save.variables}:</p>
              <ul className="list-disc pl-6">
                {save.data.map(({ name, reason }, at) => (
                  <li key={at}>
                    <strong className="font-strong">{name}</strong>: {reason}
                  </li>
                ))}
              </ul>
            </div>
          ) : null}
          <div className="flex flex-wrap gap-2.5 no-print">
            <Button size="sm" variant="outline" disabled={save.isPending} onClick={() => save.mutate('certificates')}>
              <AwardIcon aria-hidden />
              Download certificates
            </Button>
            <Button size="sm" variant="outline" disabled={save.isPending} onClick={() => save.mutate('programme')}>
              <ScrollText aria-hidden />
              Download programme
            </Button>
          </div>
        </>
      )}
    </section>
  )
}
