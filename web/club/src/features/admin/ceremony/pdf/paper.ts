import fontkit from '@pdf-lib/fontkit'
import { PDFDocument, rgb } from 'pdf-lib'
import { embedFace, type Face } from './face'

/** The font files of the two typefaces: one typeface is for headings, the other for all other text. */
export interface FontFiles {
  display: readonly ArrayBuffer[]
  text: readonly ArrayBuffer[]
}

/** A PDF, and the winners who are not in it. */
export interface MadePaper {
  pdf: Uint8Array
  left: readonly LeftOut[]
}

/** A winner whose texts have letters that no font file has. */
export interface LeftOut {
  name: string
  reason: string
}

export interface Paper {
  document: PDFDocument
  display: Face
  text: Face
}

/** Colours of the light theme: foreground, muted foreground, and the bars of the awards. */
export const colors = {
  ink: rgb(15 / 255, 36 / 255, 54 / 255),
  muted: rgb(68 / 255, 88 / 255, 106 / 255),
  citizen: rgb(242 / 255, 183 / 255, 5 / 255),
  musician: rgb(139 / 255, 63 / 255, 130 / 255),
  photographer: rgb(10 / 255, 122 / 255, 134 / 255),
  artist: rgb(205 / 255, 62 / 255, 36 / 255),
}

/** Size of an A4 page in points. */
export const a4 = { short: 595.28, long: 841.89 }

/** A PDF without pages, with its title and its fonts. */
export async function newPaper(title: string, files: FontFiles): Promise<Paper> {
  const document = await PDFDocument.create()
  document.registerFontkit(fontkit)
  document.setTitle(title, { showInWindowTitleBar: true })
  document.setLanguage('en-GB')
  const [display, text] = [await embedFace(document, files.display), await embedFace(document, files.text)]
  return { document, display, text }
}
