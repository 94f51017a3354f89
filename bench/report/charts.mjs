// The charts of the benchmark page as SVG. They use the colour scheme of the reader.

const WIDTH = 720
const style = `<style>
text{font:13px system-ui,sans-serif;fill:#1f2933}.label{fill:#52606d}.axis{stroke:#9aa5b1;stroke-width:1}.own{fill:#0b6e99}.peer{fill:#b8c2cc}.line{fill:none;stroke:#0b6e99;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#e4e7eb}.label{fill:#9aa5b1}.own{fill:#4fb3d9}.peer{fill:#52606d}.line{stroke:#4fb3d9}}
</style>`
const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const short = (value) => (value >= 10_000 ? `${Math.round(value / 1000)}k` : value >= 100 ? `${Math.round(value)}` : `${Number(value.toPrecision(2))}`)
const drawing = (height, title, content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}">${style}<text x="0" y="16" font-weight="600">${escape(title)}</text>${content.join('')}</svg>\n`

const fileName = (text) => text.toLowerCase().match(/[a-z]+/g).join('-')

/**
 * Draws bars for Cloch and for the program that it is compared with, one pair for each result. Each pair has its own scale, because the units differ
 * by orders of magnitude.
 */
function bars(title, results) {
  // The average width of a letter is 6.8.
  const left = Math.ceil(Math.max(...results.map(({ name }) => name.length)) * 6.8) + 16
  const [row, wide] = [46, WIDTH - left - 70]
  const content = results.flatMap(({ name, value, peer }, index) => {
    const top = 34 + index * row
    const most = Math.max(value, peer.value)
    const bar = (kind, y, size) => `<rect class="${kind}" x="${left}" y="${y}" width="${Math.max(1, (size / most) * wide).toFixed(0)}" height="14" rx="2"/><text class="label" x="${left + 6 + (size / most) * wide}" y="${y + 11}">${short(size)}</text>`
    return [`<text x="0" y="${top + 20}">${escape(name)}</text>`, bar('own', top, value), bar('peer', top + 17, peer.value)]
  })
  return drawing(34 + results.length * row, title, content)
}

/** Draws a line over a logarithmic horizontal axis. */
function line(title, results) {
  const [left, right, top, bottom, height] = [60, WIDTH - 40, 40, 200, 236]
  const sorted = results.toSorted((a, b) => a.size - b.size)
  const log = (size) => Math.log10(size)
  const [least, most] = [log(sorted[0].size), log(sorted.at(-1).size)]
  const peak = Math.max(...sorted.map(({ value }) => value))
  const x = (size) => left + ((log(size) - least) / Math.max(1e-9, most - least)) * (right - left)
  const y = (value) => bottom - (value / peak) * (bottom - top)
  const points = sorted.map(({ size, value }) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`)
  const marks = sorted.map(
    ({ size, value }) =>
      `<circle class="own" cx="${x(size)}" cy="${y(value)}" r="4"/><text class="label" text-anchor="middle" x="${x(size)}" y="${y(value) - 9}">${short(value)}</text><text class="label" text-anchor="middle" x="${x(size)}" y="${bottom + 18}">${size.toLocaleString('en')}</text>`,
  )
  return drawing(height, title, [`<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`, `<polyline class="line" points="${points.join(' ')}"/>`, ...marks])
}

/**
 * @param {import('../record.mjs').Result[]} results
 * @returns {{ file: string, group: string, title: string, svg: string }[]}
 */
export function charts(results) {
  const drawn = []
  for (const group of new Set(results.map((one) => one.group))) {
    const own = results.filter((one) => one.group === group)
    const name = fileName(group)
    const compared = own.filter(({ peer, connections }) => peer && (connections === undefined || connections === 32))
    if (compared.length > 1) {
      const title = `${group}: Cloch (blue) and ${[...new Set(compared.map(({ peer }) => peer.name))].join(', ')} (grey)`
      drawn.push({ file: `${name}.svg`, group, title, svg: bars(title, compared.map((one) => ({ ...one, name: `${one.name}, ${one.unit}` }))) })
    }
    for (const measured of new Set(own.filter(({ size }) => size !== undefined).map((one) => one.name))) {
      const title = `${measured}, ${own.find((one) => one.name === measured).unit}`
      const points = own.filter((one) => one.name === measured)
      if (points.length > 1) drawn.push({ file: `${name}-${fileName(measured)}.svg`, group, title, svg: line(title, points) })
    }
  }
  return drawn
}
