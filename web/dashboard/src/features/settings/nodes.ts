import type { Node } from './contract'

/** Whether all changes of settings are in the files of this node. */
export const isCurrent = (node: Node) => node.is_running && !node.is_behind && node.is_readable && node.problems.length === 0

/** A sentence about all nodes. `undefined` if there is only one node, and it has all changes. */
export function summary(nodes: readonly Node[]): string | undefined {
  const current = nodes.filter(isCurrent).length
  if (nodes.length < 2 && current === nodes.length) return undefined
  if (current === nodes.length) return `The settings are the same on all ${nodes.length} nodes.`
  return `The last change is on ${current} of ${nodes.length} nodes.`
}

/** Sentences about the state of a node. */
export function stateOf(node: Node): string[] {
  if (!node.is_running) return ['Not running. It applies the change at its start.']
  if (!node.is_readable) return ['Its state cannot be read: secrets.toml differs from that of this node.']
  const problems = node.problems.map(({ keys, reason }) => (keys.length === 0 ? reason : `${keys.join(', ')}: ${reason}`))
  const waiting = node.waiting.length === 0 ? [] : [`After a restart of this node: ${node.waiting.join(', ')}.`]
  if (problems.length > 0) return [...problems, ...waiting]
  if (node.is_behind) return ['Applying the change.']
  return waiting.length > 0 ? waiting : ['In effect.']
}
