import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { TextField } from '@/components/fields'
import { Page, Section } from '@/components/Page'
import { Empty, Failed, Loading } from '@/components/states'
import { ApiError, get, path, post } from '@/lib/api'
import type { As } from '@/lib/as'
import { formatExactTime } from '@/lib/format'
import type { Answer, Question, Recorded, RequestQuestion } from './contract'
import { Explained } from './Explained'
import { QuestionForm } from './QuestionForm'

/**
 * Page that explains why a request was refused, or why it returned an empty list. The request is read from the log by its id, or the user types it.
 */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const id = search.get('request') ?? ''
  const recorded = useQuery({
    queryKey: ['why', id],
    queryFn: ({ signal }) => get<Recorded>(path`/why/${id}`, {}, signal),
    enabled: id !== '',
    retry: false,
  })
  const ask = useMutation({ mutationFn: (question: Question) => post<Answer>('/why', question) })
  const [linked] = useState(() => questionOf(search))
  const { mutate } = ask
  useEffect(() => {
    if (linked) mutate(linked)
  }, [linked, mutate])
  return (
    <Page
      title="Why was it refused?"
      lede="Asks PostgreSQL the same question as the caller: grants, row-level security, and every policy alone over the very row. Nothing is changed by it."
    >
      <RequestField
        key={id}
        id={id}
        onFind={(next) => {
          // Removes the answer that is shown, because it belongs to another request.
          ask.reset()
          setSearch(next === '' ? {} : { request: next })
        }}
      />
      {id !== '' && recorded.isPending && <Loading what="the request" className="h-16" />}
      {recorded.isError && <NotKept error={recorded.error} />}
      {recorded.data && (
        <p>
          <code>
            {recorded.data.method} {recorded.data.path}
          </code>{' '}
          answered {recorded.data.status} at {formatExactTime(recorded.data.at)}.
        </p>
      )}
      <div className="grid items-start gap-8 xl:grid-cols-[26rem_minmax(0,1fr)]">
        <Section title="The request">
          <QuestionForm
            key={recorded.data ? id : 'typed'}
            begin={recorded.data ?? linked}
            isAsking={ask.isPending}
            onAsk={(question) => ask.mutate(question)}
          />
        </Section>
        <Section title="The answer">
          {ask.isError && <Failed error={ask.error} />}
          {ask.data && <Explained answer={ask.data} onFixed={() => mutate(ask.variables)} />}
          {!ask.data && !ask.isError && <Empty title="Type a request, or the id of one, and ask." />}
        </Section>
      </div>
    </Page>
  )
}

/** The question that the parameters of a link contain: a request that reads a path as a caller. */
function questionOf(search: URLSearchParams): RequestQuestion | undefined {
  const path = search.get('path')
  if (path === null) return undefined
  try {
    const as = JSON.parse(search.get('as') ?? '{"role":"anon"}') as As
    return { as, method: 'GET', path, schema: search.get('schema') }
  } catch {
    return undefined
  }
}

function NotKept({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.status === 403)
    return (
      <Empty title="Only developers see this request.">
        Its path and claims may hold what is a user’s own. Type a request below instead.
      </Empty>
    )
  if (!(error instanceof ApiError) || error.status !== 404) return <Failed error={error} />
  return (
    <Empty title="This request was not kept.">
      Only the last requests are, and only refused or empty ones. Type it below instead.
    </Empty>
  )
}

function RequestField({ id, onFind }: { id: string; onFind: (id: string) => void }) {
  const [text, setText] = useState(id)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onFind(text.trim())
  }
  return (
    <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
      <TextField
        label="Id of a request"
        hint="The header x-request-id of the answer, or the log’s line"
        value={text}
        onChange={setText}
        className="min-w-60 flex-1 sm:max-w-96"
        controlClassName="font-mono"
      />
      <Button type="submit" variant="outline" size="compact">
        Find it
      </Button>
    </form>
  )
}
