import type { PDFDocument, PDFFont, PDFPage, RGB } from 'pdf-lib'

/** A typeface that consists of several font files. Each file has the letters of some languages. */
export interface Face {
  parts: readonly { font: PDFFont; letters: ReadonlySet<number> }[]
}

/** Error: a text contains letters that no font file has. */
export class MissingLetters extends Error {
  constructor(text: string) {
    super(`The fonts of the PDF have no letters for “${text}”. Please write it in Latin letters, or print this page by hand.`)
    this.name = 'MissingLetters'
  }
}

/** Embeds the files of a typeface. Unused letters are left out of the PDF. */
export async function embedFace(document: PDFDocument, files: readonly ArrayBuffer[]): Promise<Face> {
  // Without ligatures: if a user copied text with ligatures from the PDF, the copy would contain wrong letters.
  const options = { subset: true, features: { liga: false } }
  const fonts = await Promise.all(files.map((file) => document.embedFont(file, options)))
  return { parts: fonts.map((font) => ({ font, letters: new Set(font.getCharacterSet()) })) }
}

/**
 * Prepares a text for printing: composes letters and accents, and removes line breaks, control characters and invisible characters, which no font
 * contains.
 */
function visible(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .normalize('NFC')
}

/** Whether a face has every letter of a text. */
export function hasLetters({ parts }: Face, text: string): boolean {
  return Array.from(visible(text)).every((letter) => parts.some(({ letters }) => letters.has(letter.codePointAt(0) ?? 0)))
}

/** Splits a text into pieces so that each piece can be written with one font file. @throws MissingLetters */
function runs({ parts }: Face, text: string): { font: PDFFont; text: string }[] {
  const found: { font: PDFFont; text: string }[] = []
  for (const letter of visible(text)) {
    const part = parts.find(({ letters }) => letters.has(letter.codePointAt(0) ?? 0))
    if (!part) throw new MissingLetters(text)
    const last = found.at(-1)
    if (last?.font === part.font) last.text += letter
    else found.push({ font: part.font, text: letter })
  }
  return found
}

/** The width of a text in points. @throws MissingLetters */
export function widthOf(face: Face, text: string, size: number): number {
  return runs(face, text).reduce((sum, run) => sum + run.font.widthOfTextAtSize(run.text, size), 0)
}

export interface Style {
  face: Face
  size: number
  color: RGB
}

/** Writes a line of text from its left end. @throws MissingLetters */
export function drawLine(page: PDFPage, text: string, at: { x: number; y: number }, { face, size, color }: Style) {
  let { x } = at
  for (const run of runs(face, text)) {
    page.drawText(run.text, { x, y: at.y, size, font: run.font, color })
    x += run.font.widthOfTextAtSize(run.text, size)
  }
}

/** Splits a text into lines of at most `width` points. A word that is wider than a line is cut. @throws MissingLetters */
export function wrap(face: Face, text: string, size: number, width: number): string[] {
  // Letters are composed before the text is cut, so that a letter is not separated from its accent.
  const words = visible(text).split(' ').filter(Boolean)
  const whole = words.join(' ')
  if (whole === '') return []
  if (widthOf(face, whole, size) <= width) return [whole]
  const lines: string[] = []
  let line = ''
  for (const word of words.flatMap((long) => cut(face, long, size, width))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(face, longer, size) <= width) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

function cut(face: Face, word: string, size: number, width: number): string[] {
  const pieces = ['']
  for (const letter of word) {
    const longer = `${pieces.at(-1) ?? ''}${letter}`
    if (longer.length > 1 && widthOf(face, longer, size) > width) pieces.push(letter)
    else pieces[pieces.length - 1] = longer
  }
  return pieces
}
