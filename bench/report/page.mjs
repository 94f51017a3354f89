// The text of docs/benchmarks.md.

const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2))
const latency = (ms) => (ms ? `${number(ms.p50)} / ${number(ms.p99)}` : '')

/** Returns how many times better Cloch is than the program that it is compared with, or undefined if there is none. */
export const ratio = ({ value, less, peer }) => (peer === undefined ? undefined : less ? peer.value / value : value / peer.value)

const counted = (count, what) => `${count.toLocaleString('en')} ${count === 1 ? what.replace(/s$/, '') : what}`

/**
 * Returns the title of a measurement. In a growth measurement, the size counts what the name begins with: `tables: resident memory` with size 10
 * becomes `resident memory, 10 tables`.
 */
function title({ name, connections, size }) {
  if (connections !== undefined) return `${name}, ${counted(connections, 'connections')}`
  if (size === undefined) return name
  const [what, measured] = name.split(': ')
  return `${measured}, ${counted(size, what)}`
}

function losses(results) {
  const worse = results.filter((one) => ratio(one) < 1).sort((a, b) => ratio(a) - ratio(b))
  if (worse.length === 0) return 'In this run, no measured value of Cloch was worse than that of its peer.\n'
  const rows = worse.map((one) => `| ${one.group}: ${title(one)} | ${number(one.value)} ${one.unit} | ${number(one.peer.value)} ${one.unit} (${one.peer.name}) | ${ratio(one).toFixed(2)} |`)
  return `| measured | Cloch | peer | times |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function table(results) {
  const [hasPeer, hasLatency] = [results.some(({ peer }) => peer), results.some(({ ms }) => ms)]
  const head = ['measured', 'Cloch', ...(hasPeer ? ['peer', 'times'] : []), ...(hasLatency ? ['Cloch p50 / p99, ms', ...(hasPeer ? ['peer p50 / p99, ms'] : [])] : [])]
  const names = [...new Set(results.map(({ name }) => name))]
  const rows = names.flatMap((name) => results.filter((one) => one.name === name)).map((one) => [
    title(one) + (one.note ? ` (${one.note})` : ''),
    `${number(one.value)} ${one.unit}`,
    ...(hasPeer ? [one.peer ? `${number(one.peer.value)} (${one.peer.name})` : '', ratio(one)?.toFixed(2) ?? ''] : []),
    ...(hasLatency ? [latency(one.ms), ...(hasPeer ? [latency(one.peer?.ms)] : [])] : []),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/**
 * @param {{ date: string, machine: Record<string, string>, failed: string[], results: import('../record.mjs').Result[] }} run
 * @param {{ file: string, group: string, title: string }[]} drawn the charts
 */
export function page(run, drawn) {
  const groups = [...new Set(run.results.map(({ group }) => group))]
  const sections = groups.map((group) => {
    const own = drawn.filter((one) => one.group === group).map(({ file, title }) => `![${title}](images/benchmarks/${file})`)
    return `## ${group}\n\n${[...own, table(run.results.filter((one) => one.group === group))].join('\n\n')}\n`
  })
  return `# Benchmarks

\`make bench-report\` measured these values on ${run.date} and wrote this page. It runs on any Linux machine with the programs of \`make test\`. All programs of a
comparison run on one machine, in turns; the tables show medians of the turns. Cloch has its default settings; only the limits for connections
of one address are raised where all realtime clients run on this machine.${run.note ? ` ${run.note}` : ''}${run.failed.length > 0 ? ` These benchmarks failed: ${run.failed.join(', ')}.` : ''}

| machine | |
|---|---|
${Object.entries(run.machine).map(([name, value]) => `| ${name} | ${value} |`).join('\n')}

The load runs on the same machine as the programs. Other machines give other values; the ratios are more stable than the values.

## Where Cloch loses

${losses(run.results)}
${sections.join('\n')}`
}
