import type { PDFPage } from 'pdf-lib'
import type { Honour } from '../honours'
import { programmeLines, type Ceremony, type ProgrammeLine } from '../programme-lines'
import { drawLine, hasLetters, MissingLetters, wrap, type Style } from './face'
import { a4, colors, newPaper, type FontFiles, type LeftOut, type MadePaper, type Paper } from './paper'

const { short: width, long: height } = a4
const margin = 56

/**
 * Creates the programme of the ceremony: date, time and place, then the awards in order. A winner is left out if the fonts lack a letter of the
 * winner's texts.
 * @throws MissingLetters if the fonts lack a letter of a text about the ceremony
 */
export async function programme(honours: readonly Honour[], ceremony: Ceremony, files: FontFiles): Promise<MadePaper> {
  const paper = await newPaper(`Programme, ${ceremony.club}`, files)
  const write = column(paper)
  const { display, text } = paper
  write(ceremony.club, { face: text, size: 13, color: colors.muted }, 10)
  write('Youth Awards Ceremony', { face: display, size: 32, color: colors.ink }, 0)
  write(
    [ceremony.date, ceremony.time, ceremony.location].filter(Boolean).join(', '),
    { face: text, size: 14, color: colors.ink },
    8,
  )
  const styles = stylesOf(paper)
  const left: LeftOut[] = []
  const written = honours.filter((honour) => {
    const line = programmeLines([honour]).find(({ kind, text: words }) => !hasLetters(styles[kind].face, words))
    if (line) left.push({ name: honour.name, reason: new MissingLetters(line.text).message })
    return !line
  })
  for (const { kind, text: words } of programmeLines(written)) {
    const { before, keep, ...style } = styles[kind]
    write(words, style, before, keep)
  }
  return { pdf: await paper.document.save(), left }
}

type LineStyle = Style & {
  /** Space in points above the line. `keep` is the space that must be free below the line on the same page. */
  before: number
  keep: number
}

function stylesOf({ display, text }: Paper): Record<ProgrammeLine['kind'], LineStyle> {
  const { ink, muted } = colors
  return {
    award: { face: display, size: 20, color: ink, before: 26, keep: 80 },
    category: { face: display, size: 13, color: ink, before: 12, keep: 40 },
    name: { face: text, size: 12, color: ink, before: 4, keep: 18 },
    detail: { face: text, size: 10.5, color: muted, before: 1, keep: 0 },
  }
}

type Write = (words: string, style: Style, before: number, keep?: number) => void

/** Writes lines one below the other, and adds pages when needed. */
function column({ document }: Paper): Write {
  let page: PDFPage = document.addPage([width, height])
  let y = height - margin
  return (words, style, before, keep = 0) => {
    y -= before
    for (const line of wrap(style.face, words, style.size, width - 2 * margin)) {
      if (y - style.size - keep < margin) {
        page = document.addPage([width, height])
        y = height - margin
      }
      y -= style.size * 1.3
      drawLine(page, line, { x: margin, y }, style)
    }
  }
}
