import type { PDFPage } from 'pdf-lib'
import { awardNames } from '../../shared/award'
import type { Honour } from '../honours'
import type { Ceremony } from '../programme-lines'
import { drawLine, hasLetters, MissingLetters, widthOf, wrap, type Style } from './face'
import { a4, colors, newPaper, type FontFiles, type LeftOut, type MadePaper, type Paper } from './paper'

const { long: width, short: height } = a4
/** Width in points of the side margins, and of the bar in the award's colour. */
const margin = 64
const bar = 14

/**
 * Creates a certificate for each winner and each place, on a separate page. A certificate is left out if the fonts lack a letter of its texts.
 * @throws MissingLetters if all certificates are left out, or if the fonts lack a letter of a text about the ceremony
 */
export async function certificates(honours: readonly Honour[], ceremony: Ceremony, files: FontFiles): Promise<MadePaper> {
  const paper = await newPaper(`Certificates, ${ceremony.club}`, files)
  const left: LeftOut[] = []
  for (const honour of honours) {
    const word = unwritable(paper, honour)
    if (word === undefined) drawCertificate(paper, honour, ceremony)
    else left.push({ name: honour.name, reason: new MissingLetters(word).message })
  }
  const [first] = honours
  if (first && left.length === honours.length) throw new MissingLetters(unwritable(paper, first) ?? first.name)
  return { pdf: await paper.document.save(), left }
}

/** The first text of a certificate that contains letters which its typeface lacks; undefined if there is no such text. */
function unwritable({ display, text }: Paper, { name, category, title, school }: Honour): string | undefined {
  return (
    [name, category].find((words) => !hasLetters(display, words)) ?? [title, school].find((words) => !hasLetters(text, words))
  )
}

function drawCertificate({ document, display, text }: Paper, honour: Honour, ceremony: Ceremony) {
  const page = document.addPage([width, height])
  page.drawRectangle({ x: 0, y: height - bar, width, height: bar, color: colors[honour.award] })
  page.drawRectangle({ x: 0, y: 0, width, height: bar, color: colors.ink })
  const plain = { face: text, size: 16, color: colors.ink }
  let y = height - bar - 40
  const line = (words: string, style: Style, before: number) => {
    y -= before
    for (const part of wrap(style.face, words, style.size, width - 2 * margin)) {
      y -= style.size * 1.25
      drawCentred(page, part, y, style)
    }
  }
  line(ceremony.club, plain, 0)
  line(`${awardNames[honour.award].label} Award`, { face: display, size: 34, color: colors.ink }, 10)
  line('is presented to', { ...plain, color: colors.muted }, 26)
  line(honour.name, { face: display, size: fitting(display, honour.name), color: colors.ink }, 12)
  line(`${honour.result}, ${honour.category}`, { face: display, size: 22, color: colors.ink }, 18)
  if (honour.title !== '') line(`for “${shortened(honour.title)}”`, plain, 10)
  if (honour.school !== '') line(honour.school, { ...plain, color: colors.muted }, 4)
  drawCentred(page, [ceremony.date, ceremony.location].filter(Boolean).join(', '), 108, plain)
  for (const [x, words] of [
    [margin, 'For the judges'],
    [width - margin - 200, 'President'],
  ] as const) {
    page.drawLine({ start: { x, y: 66 }, end: { x: x + 200, y: 66 }, thickness: 1, color: colors.ink })
    drawLine(page, words, { x, y: 48 }, { face: text, size: 11, color: colors.muted })
  }
}

function drawCentred(page: PDFPage, words: string, y: number, style: Style) {
  drawLine(page, words, { x: (width - widthOf(style.face, words, style.size)) / 2, y }, style)
}

/** The largest font size at which a name fits on one line, or on two lines if it is long. */
function fitting(face: Style['face'], name: string): number {
  const [largest, ...smaller] = [48, 40, 32, 26, 20]
  const lines = (size: number) => wrap(face, name, size, width - 2 * margin).length
  return lines(largest) === 1 ? largest : (smaller.find((size) => lines(size) <= 2) ?? 14)
}

/** Shortens a title to two lines. */
function shortened(title: string): string {
  const most = 140
  return title.length <= most ? title : `${title.slice(0, most - 1).trimEnd()}…`
}
