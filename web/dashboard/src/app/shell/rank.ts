/** Search of the command palette: finds entries and sorts them, the best match first. */

interface Found {
  name: string
  group: string
  words: string
}

/** How well an entry matches the text. Lower is better, 0 is the best value; `undefined` means that the entry does not match. */
export function rank({ name, group, words }: Found, text: string): number | undefined {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = `${name} ${group} ${words}`.toLowerCase()
  if (!parts.every((part) => all.includes(part))) return undefined
  return Math.max(0, ...parts.map((part) => rankOf(name.toLowerCase(), `${group} ${words}`.toLowerCase(), part)))
}

/** A match in the name ranks before a match in other words, and the start of a word before its middle. */
function rankOf(name: string, words: string, part: string): number {
  if (name === part) return 0
  if (name.startsWith(part)) return 1
  if (startsWord(name, part)) return 2
  if (startsWord(words, part)) return 3
  return name.includes(part) ? 4 : 5
}

const startsWord = (text: string, part: string) => text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(part))

/** Returns the matching entries, the best first. Entries that match equally well keep their order. */
export function search<Entry extends Found>(entries: readonly Entry[], text: string): Entry[] {
  return entries
    .flatMap((entry) => {
      const place = rank(entry, text)
      return place === undefined ? [] : [{ entry, place }]
    })
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry)
}
