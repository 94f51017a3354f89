/** Converts a text to HTML. Line breaks are kept. */
export function toHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character).replace(/\r\n|\r|\n/g, '<br>')
}

export interface SummarySection {
  heading: string
  /** Labels with values. "Not provided" is shown for an empty value. */
  rows: [label: string, value: string | number | null | undefined][]
}

/** The body of a mail that lists the answers of a form. */
export function summaryHtml(title: string, sections: SummarySection[], footer?: string): string {
  const parts = sections.map(
    ({ heading, rows }) => `<h3>${toHtml(heading)}</h3>\n${rows.map(([label, value]) => row(label, value)).join('\n')}`,
  )
  const end = footer === undefined ? [] : [`<p><em>${toHtml(footer)}</em></p>`]
  return [`<h2>${toHtml(title)}</h2>`, ...parts, ...end].join('\n')
}

function row(label: string, value: string | number | null | undefined): string {
  const text = value === null || value === undefined || value === '' ? 'Not provided' : String(value)
  return `<p><strong>${toHtml(label)}:</strong> ${toHtml(text)}</p>`
}
