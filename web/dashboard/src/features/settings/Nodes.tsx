import { useQuery } from '@tanstack/react-query'
import { get } from '@/lib/api'
import { nodesKey, type Node } from './contract'
import { isCurrent, stateOf, summary } from './nodes'

/** Milliseconds between two requests: while a node has not applied the last change yet, and at other times. */
const soon = 1000
const later = 15_000

/**
 * Shows on which nodes of the project the changed settings are in effect. If the project has a single node, which has applied all changes, shows
 * nothing.
 */
export function Nodes() {
  const { data } = useQuery({
    queryKey: nodesKey,
    queryFn: ({ signal }) => get<{ nodes: Node[] }>('/settings/nodes', {}, signal),
    refetchInterval: ({ state }) => (state.data?.nodes.some((node) => node.is_running && node.is_behind) ? soon : later),
  })
  const nodes = data?.nodes ?? []
  const text = summary(nodes)
  if (text === undefined) return null
  return (
    <details open={!nodes.every(isCurrent)} className="rounded border p-3">
      <summary className="cursor-pointer font-strong">{text}</summary>
      <ul aria-label="Nodes" className="mt-2 grid gap-1 text-small">
        {nodes.map((node) => (
          <li key={node.id} className="grid gap-x-4 sm:grid-cols-[16rem_minmax(0,1fr)]">
            <span className="break-all">
              {node.name}
              {node.is_this && ' (this node)'}
            </span>
            <span className="break-words">{stateOf(node).join(' ')}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
