/** Characters of a passage: enough for one subject, and less than embedding models read. */
const LONGEST = 500

/** Splits a text into passages: paragraphs, of which short ones are joined and long ones are cut at the end of a sentence. */
export function split(text: string) {
  const paragraphs = text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter(Boolean)
  return join(
    paragraphs.flatMap((paragraph) => join(paragraph.split(/(?<=[.!?])\s+/).flatMap(cut), ' ')),
    '\n\n',
  )
}

/** At most half of LONGEST, because a character can count twice: up to a space if there is one. */
const PART = /.{1,250}(?=\s|$)|.{1,250}/gsu

/** Cuts a sentence that is longer than a passage. */
const cut = (sentence: string) =>
  sentence.length <= LONGEST
    ? [sentence]
    : sentence
        .match(PART)!
        .map((part) => part.trim())
        .filter(Boolean)

function join(pieces: string[], between: string) {
  const passages: string[] = []
  for (const piece of pieces) {
    const longer = `${passages.at(-1)}${between}${piece}`
    if (passages.length > 0 && longer.length <= LONGEST) passages[passages.length - 1] = longer
    else passages.push(piece)
  }
  return passages
}
