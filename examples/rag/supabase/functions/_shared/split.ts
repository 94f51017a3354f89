/** Maximum number of characters of a passage. It is enough for one subject, and less than an embedding model can read. */
const LONGEST = 500

/** Splits a text into passages. Short paragraphs are joined; long paragraphs are cut at the end of a sentence. */
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

/** A part of a long sentence. It ends before a space if possible. It has at most half of LONGEST characters, because a character can count twice. */
const PART = /.{1,250}(?=\s|$)|.{1,250}/gsu

/** Cuts a sentence into parts if it is longer than a passage. */
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
