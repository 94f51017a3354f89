// The first format of a page takes 30 ms on a slow phone, so a format is made when it is first used.
let dayFormat: Intl.DateTimeFormat | undefined
let momentFormat: Intl.DateTimeFormat | undefined
const day = () => (dayFormat ??= new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' }))
const moment = () =>
  (momentFormat ??= new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }))

/** "14 October 2025" */
export function formatDay(iso: string): string {
  return day().format(new Date(iso))
}

/** "14 October 2025, 18:05" */
export function formatMoment(iso: string): string {
  return moment().format(new Date(iso)).replace(' at ', ', ')
}
