import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { AddressField } from '@/components/AddressField'
import { DataTable } from '@/components/DataTable'
import { SelectField } from '@/components/fields'
import { FilterFields, Page } from '@/components/Page'
import { RowButton } from '@/components/RowButton'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatTime } from '@/lib/format'
import { useProject } from '@/lib/project'
import { mailKey, states, type Message } from './contract'
import { MessagePanel } from './MessagePanel'

const limit = 50

/**
 * The mails of the project. If a mail server is configured, these are the mails in the outbox. If not, they are in the built-in inbox, and nothing is
 * sent.
 */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const to = search.get('to') ?? ''
  const state = search.get('state') ?? ''
  const before = search.get('before') ?? ''
  const open = search.get('message')
  const mail = useQuery({
    queryKey: [...mailKey, to, state, before],
    queryFn: ({ signal }) =>
      get<{ messages: Message[]; delivery: 'smtp' | 'inbox'; template_problems?: string[] }>(
        '/mail',
        { to, state, before, limit },
        signal,
      ),
    placeholderData: keepPreviousData,
  })
  const inbox = useProject().data?.inbox_url
  // Opening a message and changing the page add an entry to the browser's history. The letters of a search do not.
  const set = (values: Record<string, string | undefined>) =>
    setSearch(
      (old) => {
        const next = { ...Object.fromEntries(old), ...values }
        return Object.fromEntries(Object.entries(next).flatMap(([name, value]) => (value ? [[name, value]] : [])))
      },
      { replace: values.message === undefined && values.before === undefined },
    )
  return (
    <Page
      title="Mail"
      lede={
        mail.data?.delivery === 'inbox'
          ? 'Nothing leaves this machine: messages are kept here, as no mail server is configured.'
          : 'What was handed to the mail server, what waits, and what it refused.'
      }
      actions={
        inbox && (
          <Button asChild variant="outline" size="compact">
            <a href={inbox}>Open the inbox</a>
          </Button>
        )
      }
    >
      {mail.data?.template_problems?.map((problem) => (
        <p key={problem} role="alert" className="text-destructive">
          A mail template fails for some users, who get the default mail instead. {problem}
        </p>
      ))}
      <FilterFields>
        <AddressField
          label="To"
          hint="The whole address"
          type="search"
          className="sm:w-64"
          value={to}
          onChange={(value) => set({ to: value, before: undefined })}
        />
        <SelectField
          label="State"
          className="sm:w-40"
          value={state}
          onChange={(value) => set({ state: value, before: undefined })}
        >
          <option value="">All</option>
          {states.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
      </FilterFields>
      <Result query={mail} what="the mail">
        {({ messages }) =>
          messages.length === 0 ? (
            <Empty title={to === '' && state === '' ? 'There are no messages yet.' : 'No message fits.'}>
              {to === '' && state === ''
                ? 'Invitations, confirmations and reset links of users are here once they are written.'
                : undefined}
            </Empty>
          ) : (
            <>
              <Messages messages={messages} open={open} onOpen={(message) => set({ message })} />
              {messages.length === limit && (
                <Button
                  variant="outline"
                  size="compact"
                  className="justify-self-start"
                  onClick={() => set({ before: messages.at(-1)?.created_at })}
                >
                  Older
                </Button>
              )}
            </>
          )
        }
      </Result>
      {open && <MessagePanel key={open} id={open} onClose={() => set({ message: undefined })} />}
    </Page>
  )
}

interface MessagesProps {
  messages: Message[]
  open: string | null
  onOpen: (id: string) => void
}

function Messages({ messages, open, onOpen }: MessagesProps) {
  return (
    <DataTable
      label="Messages"
      rows={messages}
      rowKey={({ id }) => id}
      isChosen={({ id }) => id === open}
      columns={[
        {
          name: 'Subject',
          className: 'min-w-44',
          cell: ({ id, subject }) => (
            <RowButton onClick={() => onOpen(id)}>{subject === '' ? '(no subject)' : subject}</RowButton>
          ),
        },
        { name: 'To', cell: ({ to }) => to.join(', ') },
        {
          name: 'State',
          cell: ({ state }) => (
            <Badge tone={state === 'failed' ? 'destructive' : state === 'sent' ? 'success' : 'muted'}>{state}</Badge>
          ),
        },
        { name: 'Written', className: 'whitespace-nowrap', cell: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  )
}
