/** What a search of the palette finds, the best match first. */

interface Found {
  name: string
  group: string
  words: string
}

/** How well an entry matches: 0 is the best; undefined: it does not match. */
export function rank({ name, group, words }: Found, text: string): number | undefined {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = `${name} ${group} ${words}`.toLowerCase()
  if (!parts.every((part) => all.includes(part))) return undefined
  return Math.max(0, ...parts.map((part) => rankOf(name.toLowerCase(), `${group} ${words}`.toLowerCase(), part)))
}

/** The name counts more than other words, the start of a word more than its middle. */
function rankOf(name: string, words: string, part: string): number {
  if (name === part) return 0
  if (name.startsWith(part)) return 1
  if (startsWord(name, part)) return 2
  if (startsWord(words, part)) return 3
  return name.includes(part) ? 4 : 5
}

const startsWord = (text: string, part: string) => text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(part))

/** Entries that match, the best first; equal ones keep their order. */
export function search<Entry extends Found>(entries: readonly Entry[], text: string): Entry[] {
  return entries
    .flatMap((entry) => {
      const place = rank(entry, text)
      return place === undefined ? [] : [{ entry, place }]
    })
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry)
}
