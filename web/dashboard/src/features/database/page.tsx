import type { ComponentType } from 'react'
import { Link, useParams } from 'react-router'
import { Page } from '@/components/Page'
import { Empty } from '@/components/states'
import { Enums } from './Enums'
import { Extensions } from './Extensions'
import { Functions } from './Functions'
import { Indexes } from './Indexes'
import type { KindName } from './kinds'
import { Publications } from './Publications'
import { Roles } from './Roles'
import { Triggers } from './Triggers'
import { Webhooks } from './Webhooks'

const lists: Record<KindName, ComponentType> = {
  functions: Functions,
  triggers: Triggers,
  webhooks: Webhooks,
  indexes: Indexes,
  enums: Enums,
  extensions: Extensions,
  roles: Roles,
  publications: Publications,
}

const isKind = (kind: string): kind is KindName => Object.hasOwn(lists, kind)

/** The page for /database and /database/:kind. It shows a list of the database objects of one kind. */
export function Component() {
  const { kind = 'functions' } = useParams()
  if (!isKind(kind))
    return (
      <Page title="Database">
        <Empty title={`There is no list of ${kind}.`}>
          <Link to="/database/functions">Database functions</Link>
        </Empty>
      </Page>
    )
  const List = lists[kind]
  return <List key={kind} />
}
