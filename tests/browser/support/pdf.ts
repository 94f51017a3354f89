/** Text and layout of a printed page, read from the PDF that the browser would send to the printer. */
import type { Page } from '@playwright/test'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

export interface Print {
  pages: number
  /** All words, separated by single spaces. */
  text: string
  /** Pieces of text that are partly outside the sheet of paper. */
  cut: string[]
}

/** Prints a page on A4. */
export async function print(page: Page): Promise<Print> {
  return readPdf(new Uint8Array(await page.pdf({ format: 'A4', margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' } })))
}

export async function readPdf(data: Uint8Array<ArrayBuffer>): Promise<Print> {
  const document = await getDocument({ data, verbosity: 0 }).promise
  const words: string[] = []
  const cut: string[] = []
  for (let number = 1; number <= document.numPages; number++) {
    const sheet = await document.getPage(number)
    const { width, height } = sheet.getViewport({ scale: 1 })
    for (const item of (await sheet.getTextContent()).items) {
      if (!('str' in item) || item.str.trim() === '') continue
      words.push(item.str)
      const [, , , , x, y] = item.transform as [number, number, number, number, number, number]
      if (x < 0 || x + item.width > width || y < 0 || y > height) cut.push(item.str)
    }
  }
  const pages = document.numPages
  await document.destroy()
  return { pages, text: words.join(' ').replace(/\s+/g, ' '), cut }
}
