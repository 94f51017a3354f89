import { useQuery } from '@tanstack/react-query'
import { KeyRound, Link2, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { BlockTable, type Column } from '../shared/BlockTable'
import type { Sheet } from '../shared/csv'
import { Empty } from '../shared/Empty'
import { ExportButton } from '../shared/ExportButton'
import { Group } from '../shared/Group'
import { ListState } from '../shared/ListState'
import { PanelHeading } from '../shared/PanelHeading'
import { emailLink, phoneLink } from '../shared/contact-links'
import { RowActions } from '../shared/RowActions'
import { categoryLabels, judgeCategories } from './categories'
import { JudgeForm } from './JudgeForm'
import { JudgingPasswordDialog } from './JudgingPasswordDialog'
import { judgeLinksQuery } from './links/judge-links'
import { JudgeLinkDialog } from './links/JudgeLinkDialog'
import { linkState } from './links/link-state'
import { useDeleteJudge } from './queries/delete-judge'
import { categoriesOf, judgesQuery, type Judge } from './queries/list-judges'
import { JointResultSection } from './result/JointResultSection'

/** The judges, grouped by category. A judge with several categories is in each of their groups. */
export function JudgeList() {
  const judges = useQuery(judgesQuery)
  const { data: links } = useQuery(judgeLinksQuery)
  const [linking, setLinking] = useState<Judge>()
  const [editing, setEditing] = useState<Judge | 'new' | 'password'>()
  const { mutate: remove } = useDeleteJudge()
  const linkOf = (judge: Judge) => links?.find((link) => link.judge === judge.id)

  const columns: Column<Judge>[] = [
    { name: 'Name', share: 1.15, cell: ({ name }) => name, lead: true },
    {
      name: 'Categories',
      share: 1.2,
      cell: (judge) =>
        categoriesOf(judge)
          .map((category) => categoryLabels[category])
          .join(', ') || '-',
    },
    { name: 'Email', share: 1.75, cell: ({ email }) => emailLink(email) ?? '-' },
    { name: 'Phone', share: 1, cell: ({ phone }) => phoneLink(phone) ?? '-' },
    { name: 'Notes', share: 0.85, cell: ({ notes }) => notes ?? '-' },
    {
      name: 'Judging',
      share: 1.1,
      cell: (judge) => (
        <Button
          size="sm"
          variant="ghost"
          className="-ml-2.5 h-auto min-h-11 px-2 text-left whitespace-normal"
          aria-label={`Link of ${judge.name}: ${linkState(linkOf(judge))}`}
          onClick={() => setLinking(judge)}
        >
          <Link2 aria-hidden />
          {linkState(linkOf(judge))}
        </Button>
      ),
    },
    {
      name: 'Actions',
      share: 0.85,
      corner: true,
      cell: (judge) => <RowActions name={judge.name} onEdit={() => setEditing(judge)} onDelete={() => remove(judge)} />,
    },
  ]

  return (
    <>
      <PanelHeading title="Judges" subtitle="Manage judges for different award categories">
        <Button size="sm" onClick={() => setEditing('new')}>
          <Plus aria-hidden />
          Add Judge
        </Button>
        <Button size="sm" variant="outline" onClick={() => setEditing('password')}>
          <KeyRound aria-hidden />
          Judging password
        </Button>
        <ExportButton name="judges" sheet={() => judgeSheet(judges.data ?? [])} />
      </PanelHeading>
      <ListState query={judges} failed="Failed to load judges" loading="Loading judges...">
        {(all) => (all.length === 0 ? <Empty>No judges found</Empty> : <JudgeGroups judges={all} columns={columns} />)}
      </ListState>
      {judges.data && judges.data.length > 0 ? <JointResultSection /> : null}
      {linking ? <JudgeLinkDialog judge={linking} link={linkOf(linking)} onClose={() => setLinking(undefined)} /> : null}
      {editing === 'password' ? <JudgingPasswordDialog onClose={() => setEditing(undefined)} /> : null}
      {editing && editing !== 'password' ? (
        <JudgeForm judge={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
      ) : null}
    </>
  )
}

function JudgeGroups({ judges, columns }: { judges: readonly Judge[]; columns: readonly Column<Judge>[] }) {
  const groups = judgeCategories.map((category) => ({
    title: categoryLabels[category],
    judges: judges.filter((judge) => categoriesOf(judge).includes(category)),
  }))
  const without = judges.filter((judge) => categoriesOf(judge).length === 0)
  return [...groups, { title: 'No category', judges: without }]
    .filter((group) => group.judges.length > 0)
    .map((group) => (
      <Group
        key={group.title}
        title={group.title}
        count={`${group.judges.length} ${group.judges.length === 1 ? 'judge' : 'judges'}`}
      >
        <BlockTable label={`Judges: ${group.title}`} columns={columns} rows={group.judges} />
      </Group>
    ))
}

function judgeSheet(judges: readonly Judge[]): Sheet {
  return judges.map((judge) => {
    const { name, email, phone, notes } = judge
    return { name, categories: categoriesOf(judge).map((category) => categoryLabels[category]), email, phone, notes }
  })
}
