import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { AddressField } from '@/components/AddressField'
import { SelectField } from '@/components/fields'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { useUnsaved } from '@/lib/unsaved'
import { editableKey, type Editable, type Group as SettingGroup } from './contract'
import { changes, fault, typed, type Draft } from './draft'
import { waiting } from './effect'
import { Group } from './Group'
import { Nodes } from './Nodes'
import { Restart } from './Restart'
import { Review } from './Review'

/** The settings that an owner can change, in groups. The changes of all groups are kept until the owner saves them together. */
export function Editing() {
  const editable = useQuery({
    queryKey: editableKey,
    queryFn: ({ signal }) => get<Editable>('/settings/editable', {}, signal),
  })
  return (
    <Result query={editable} what="the settings">
      {(data) => <Form editable={data} />}
    </Result>
  )
}

function Form({ editable }: { editable: Editable }) {
  const [search, setSearch] = useAddressQuery()
  const [draft, setDraft] = useState<Draft>(new Map())
  const [isReview, setReview] = useState(false)
  const all = editable.groups.flatMap(({ settings }) => settings)
  const find = search.get('find') ?? ''
  const chosen = editable.groups.find(({ name }) => name === search.get('group')) ?? editable.groups[0]
  const isEditable = editable.problem === null
  const isFaulty = all.some((setting) => fault(setting, draft) !== undefined)
  useUnsaved(draft.size > 0 ? 'The changed settings are not saved.' : undefined, leavesPage)
  const go = (name: string, value: string) =>
    setSearch(
      (old) => {
        const next = new URLSearchParams(old)
        next.delete('find')
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const groups = find === '' ? (chosen ? [chosen] : []) : found(editable.groups, find)
  return (
    <>
      {editable.problem !== null && (
        <p role="status" className="rounded border-l-6 border-destructive bg-destructive-wash p-3 text-destructive">
          Settings cannot be changed here now. {editable.problem}
        </p>
      )}
      <Restart restart={editable.restart} />
      <Nodes />
      <div className="grid items-start gap-x-8 gap-y-4 lg:grid-cols-[12rem_minmax(0,1fr)]">
        <GroupList
          groups={editable.groups}
          current={find === '' ? chosen?.name : undefined}
          onChoose={(name) => go('group', name)}
        />
        <div className="grid min-w-0 content-start gap-6">
          <AddressField label="Find" type="search" className="sm:w-80" value={find} onChange={(value) => go('find', value)} />
          {groups.map((group) => (
            <Group
              key={group.name}
              group={group}
              draft={draft}
              callbackUrl={editable.callback_url}
              isFound={find !== ''}
              isDisabled={!isEditable}
              onChange={(setting, value) => setDraft((old) => typed(old, setting, value))}
              onReview={() => setReview(true)}
            />
          ))}
          {groups.length === 0 && <Empty title="No settings match." />}
        </div>
      </div>
      {draft.size > 0 && (
        <div
          role="region"
          aria-label="Changes that are not saved"
          className="sticky bottom-0 -mx-4 flex flex-wrap items-center gap-2.5 border-t-3 border-foreground bg-card px-4 py-2.5 sm:-mx-6 sm:px-6 lg:-mx-8 lg:px-8"
        >
          <span className="font-strong">{draft.size === 1 ? 'One change' : `${draft.size} changes`}</span>
          <Button size="compact" disabled={isFaulty || !isEditable} onClick={() => setReview(true)}>
            Review and save
          </Button>
          <Button variant="outline" size="compact" onClick={() => setDraft(new Map())}>
            Discard
          </Button>
        </div>
      )}
      {isReview && (
        <Review
          changes={changes(draft, all)}
          waiting={waiting(changes(draft, all), all)}
          onClose={() => setReview(false)}
          onSaved={() => {
            setReview(false)
            setDraft(new Map())
          }}
        />
      )}
    </>
  )
}

const leavesPage = ({
  currentLocation,
  nextLocation,
}: {
  currentLocation: { pathname: string }
  nextLocation: { pathname: string }
}) => currentLocation.pathname !== nextLocation.pathname

/** The groups that contain matching settings. The search compares the group's title, and the label, key and hint of each setting. */
function found(groups: readonly SettingGroup[], text: string): SettingGroup[] {
  const words = text.toLowerCase().split(/\s+/)
  return groups
    .map((group) => ({
      ...group,
      settings: group.settings.filter(({ key, label, hint }) =>
        words.every((word) => `${group.title} ${label} ${key} ${hint}`.toLowerCase().includes(word)),
      ),
    }))
    .filter(({ settings }) => settings.length > 0)
}

function GroupList({
  groups,
  current,
  onChoose,
}: {
  groups: readonly SettingGroup[]
  current: string | undefined
  onChoose: (name: string) => void
}) {
  return (
    <>
      <SelectField label="Group" className="sm:w-80 lg:hidden" value={current ?? ''} onChange={onChoose}>
        {current === undefined && <option value="">Found</option>}
        {groups.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </SelectField>
      <nav aria-label="Groups of settings" className="sticky top-4 max-lg:hidden">
        <ul>
          {groups.map(({ name, title, settings }) => (
            <li key={name}>
              <button
                type="button"
                aria-current={name === current ? 'true' : undefined}
                className={cn(
                  'flex min-h-8 w-full cursor-pointer items-center border-l-6 border-transparent px-2.5 text-left text-small hover:bg-accent',
                  name === current && 'border-foreground bg-secondary font-bold',
                )}
                onClick={() => onChoose(name)}
              >
                {title}
                {settings.some((setting) => setting.waits_for_restart) && (
                  <span className="ml-auto size-2 rounded-full bg-foreground">
                    <span className="sr-only">waits for a restart</span>
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}
