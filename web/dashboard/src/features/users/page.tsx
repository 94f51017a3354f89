import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MailPlus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { AddressField } from '@/components/AddressField'
import { SelectField } from '@/components/fields'
import { FilterFields, Page } from '@/components/Page'
import { Pager } from '@/components/Pager'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { useMay } from '@/lib/session'
import { usersKey, type User } from './contract'
import { AddUser } from './AddUser'
import { UserPanel } from './UserPanel'
import { UserTable } from './UserTable'

const perPage = 50

/** Page with the project's users. The URL contains the search and the open user. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const [adding, setAdding] = useState<'user' | 'invite'>()
  const mayChange = useMay('developer')
  const text = search.get('search') ?? ''
  const page = Number(search.get('page') ?? 1)
  const sort = search.get('sort') ?? 'created_at'
  const open = search.get('user')
  const users = useQuery({
    queryKey: [...usersKey, text, page, sort],
    queryFn: ({ signal }) =>
      get<{ users: User[]; total: number }>(
        '/users',
        { search: text, page, per_page: perPage, sort, order: sort === 'email' ? 'asc' : 'desc' },
        signal,
      ),
    placeholderData: keepPreviousData,
  })
  const set = (values: Record<string, string | undefined>) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(values)) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: values.user === undefined },
    )
  return (
    <Page
      title="Users"
      actions={
        mayChange && (
          <>
            <Button variant="outline" size="compact" onClick={() => setAdding('invite')}>
              <MailPlus aria-hidden />
              Invite
            </Button>
            <Button size="compact" onClick={() => setAdding('user')}>
              <UserPlus aria-hidden />
              Add a user
            </Button>
          </>
        )
      }
    >
      <FilterFields>
        <AddressField
          label="Find"
          type="search"
          className="sm:w-72"
          value={text}
          onChange={(value) => set({ search: value, page: undefined })}
        />
        <SelectField
          label="Order by"
          className="sm:w-48"
          value={sort}
          onChange={(value) => set({ sort: value, page: undefined })}
        >
          <option value="created_at">Newest</option>
          <option value="last_sign_in_at">Last sign-in</option>
          <option value="email">E-mail</option>
        </SelectField>
      </FilterFields>
      <Result query={users} what="the users">
        {(data) =>
          data.users.length === 0 ? (
            <Empty title={text === '' && page === 1 ? 'Nobody has signed up yet.' : 'Nobody is found.'}>
              {text === '' && page === 1
                ? 'Your app’s sign-up adds users; here you invite somebody, or add an account.'
                : undefined}
            </Empty>
          ) : (
            <>
              <UserTable users={data.users} open={open} onOpen={(user) => set({ user })} />
              <Pager
                page={page}
                pages={Math.ceil(data.total / perPage)}
                total={data.total}
                what="users"
                onPage={(next) => set({ page: String(next) })}
              />
            </>
          )
        }
      </Result>
      {open && <UserPanel key={open} id={open} onClose={() => set({ user: undefined })} />}
      {adding && <AddUser kind={adding} onClose={() => setAdding(undefined)} />}
    </Page>
  )
}
