/**
 * Expected responses to conditional GET and HEAD requests according to RFC 9110, as tables. They are written independently of the program. The
 * sections are 8.8.3 (entity tags), 13 (conditions; their order in 13.2.2), 14 (ranges) and 15.5.17 (416). If the RFC allows a choice, CHOICES
 * contains the one that Cloch documents.
 */

export const CHOICES = {
  'several ranges': 'may be ignored (14.2): the whole is sent',
  'a range set that is not valid': 'may be ignored or refused (14.2): it is ignored',
  'a suffix of an empty file': 'is satisfiable, and no Content-Range can name it: the range is ignored (14.2)',
}

const tagPattern = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/

/** Returns the elements of a list. A comma inside quotes does not separate elements. */
const elements = (text) => (text.match(/(?:"[^"]*"|[^,])+/g) ?? []).map((element) => element.trim()).filter((element) => element !== '')

const strong = (a, b) => !a.startsWith('W/') && !b.startsWith('W/') && a === b
const weak = (a, b) => a.replace(/^W\//, '') === b.replace(/^W\//, '')

const anyTag = (value, current, equal) => value.trim() === '*' || elements(value).some((element) => tagPattern.test(element) && equal(element, current))

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const longDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const two = (number) => String(number).padStart(2, '0')

/** The three date formats of section 5.6.7. */
export const dateForms = {
  fixed: (date) => `${days[date.getUTCDay()]}, ${two(date.getUTCDate())} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()} ${clock(date)} GMT`,
  rfc850: (date) => `${longDays[date.getUTCDay()]}, ${two(date.getUTCDate())}-${months[date.getUTCMonth()]}-${two(date.getUTCFullYear() % 100)} ${clock(date)} GMT`,
  asctime: (date) => `${days[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2, ' ')} ${clock(date)} ${date.getUTCFullYear()}`,
}
const clock = (date) => [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':')

/** Returns an HTTP-date in seconds, or undefined. */
function second(text) {
  const found =
    /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/.exec(text) ??
    /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/.exec(text) ??
    /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/.exec(text)
  if (!found || !months.includes(found.groups.month)) return undefined
  const { day, month, time } = found.groups
  let year = Number(found.groups.year)
  // If a two-digit year would be more than 50 years in the future, it is a year in the past.
  if (found.groups.year.length === 2) year += 2000 + year - new Date().getUTCFullYear() > 50 ? 1900 : 2000
  const [hours, minutes, seconds] = time.split(':').map(Number)
  return Date.UTC(year, months.indexOf(month), Number(day), hours, minutes, seconds) / 1000
}

/** Evaluates each condition. The result is undefined if the condition is absent or must be ignored. */
const conditions = {
  'if-match': (value, file) => anyTag(value, file.etag, strong),
  'if-unmodified-since': (value, file) => second(value) === undefined ? undefined : file.modified <= second(value),
  'if-none-match': (value, file) => !anyTag(value, file.etag, weak),
  'if-modified-since': (value, file) => second(value) === undefined ? undefined : file.modified > second(value),
  'if-range': (value, file) => second(value) === undefined ? tagPattern.test(value) && strong(value, file.etag) : second(value) === file.modified,
}

/** The steps of section 13.2.2. Each has a condition, the condition whose presence skips the step, and the status if the condition is false. */
const steps = [
  ['if-match', undefined, 412],
  ['if-unmodified-since', 'if-match', 412],
  ['if-none-match', undefined, 304],
  ['if-modified-since', 'if-none-match', 304],
]

/** Returns the byte positions of a Range header, or `'ignored'` or `'unsatisfiable'`. */
function rangeOf(value, size) {
  const form = /^(?<unit>[^=\s]+)=(?<set>.*)$/.exec(value)
  if (form?.groups.unit.toLowerCase() !== 'bytes') return 'ignored'
  const specs = elements(form.groups.set)
  if (specs.length !== 1) return 'ignored'
  const spec = /^(?<first>\d*)-(?<last>\d*)$/.exec(specs[0])
  if (!spec || (spec.groups.first === '' && spec.groups.last === '')) return 'ignored'
  const { first, last } = spec.groups
  if (first === '') {
    if (BigInt(last) === 0n) return 'unsatisfiable'
    if (size === 0) return 'ignored'
    return [BigInt(last) >= BigInt(size) ? 0 : size - Number(last), size - 1]
  }
  if (last !== '' && BigInt(last) < BigInt(first)) return 'ignored'
  if (BigInt(first) >= BigInt(size)) return 'unsatisfiable'
  return [Number(first), last === '' || BigInt(last) >= BigInt(size) ? size - 1 : Number(last)]
}

/**
 * Returns the expected response.
 * @param {{ method: string, headers: Record<string, string> }} request the names of its headers are in lower case; each header has one value
 * @param {{ etag: string, modified: number, size: number }} file `modified` in seconds
 * @returns {{ status: number, range?: [number, number] }}
 */
export function decide({ method, headers }, file) {
  const has = (name) => headers[name] !== undefined
  for (const [name, beside, status] of steps) {
    if (has(name) && !(beside && has(beside)) && conditions[name](headers[name], file) === false) return { status }
  }
  // According to section 14.2, ranges are defined only for GET.
  if (method !== 'GET' || !has('range')) return { status: 200 }
  if (has('if-range') && !conditions['if-range'](headers['if-range'], file)) return { status: 200 }
  const range = rangeOf(headers.range, file.size)
  if (range === 'ignored') return { status: 200 }
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range }
}

/** Values of headers. Some are functions of the requested file. */
const wrong = ['"0"', 'W/"0"', '"a,b"', '"never ends', '', ', ,', '"*"']
const right = [
  (file) => file.etag,
  (file) => `W/${file.etag}`,
  (file) => `"0", ${file.etag}`,
  (file) => `${file.etag},W/"x" , "y,z"`,
  (file) => `W/${file.etag}, "0"`,
  () => '*',
]
const at = (difference, form) => (file) => dateForms[form](new Date((file.modified + difference) * 1000))
const dates = [-86_400, -1, 0, 1, 86_400].flatMap((difference) => Object.keys(dateForms).map((form) => at(difference, form)))
export const noDates = ['soon', '', '0', 'Sun, 99 Foo 2015 00:00:00 GMT', '1767323045']
const fixed = (values) => values.map((value) => () => value)
const ranges = (size) => [
  'bytes=0-0', 'bytes=0-', 'bytes=1-2', 'bytes=-1', 'bytes=-0', 'bytes=-99999', `bytes=${size}-`, `bytes=${size - 1}-`, `bytes=0-${size}`,
  'bytes=99999-', 'bytes=99999999999999999999-', 'bytes=0-99999999999999999999', 'bytes=5-2', 'bytes=0-1,3-4', 'bytes=0-1,99999-', 'bytes=0-1,',
  'BYTES=0-1', 'bytes=a-b', 'bytes=', 'bytes=-', 'bytes', 'items=0-1', 'seconds=1-2', '', 'bytes=+1-2', 'bytes=0x0-1',
]

const VARIANTS = {
  'if-match': [...right, ...fixed(wrong)],
  'if-none-match': [...right, ...fixed(wrong)],
  'if-unmodified-since': [...dates, ...fixed(noDates)],
  'if-modified-since': [...dates, ...fixed(noDates)],
  range: Array.from({ length: ranges(1).length }, (_, index) => (file) => ranges(file.size)[index]),
  'if-range': [right[0], right[1], ...dates.slice(6, 9), ...dates.slice(0, 3), ...fixed(['"0"', '*', 'soon', '', '"0", "1"'])],
}
const METHODS = ['GET', 'HEAD']

/** Creates cases: every header alone with every value, and then random combinations. Each case creates its headers for a given file. */
export function makeCases(random, count) {
  const cases = METHODS.flatMap((method) => [
    { method, chosen: {} },
    ...Object.entries(VARIANTS).flatMap(([name, variants]) => variants.map((variant) => ({ method, chosen: { [name]: variant } }))),
  ])
  const odds = { 'if-match': 0.3, 'if-none-match': 0.35, 'if-unmodified-since': 0.25, 'if-modified-since': 0.3, range: 0.6, 'if-range': 0.4 }
  while (cases.length < count) {
    const chosen = Object.entries(odds).filter(([, odd]) => random.next() < odd).map(([name]) => [name, random.of(VARIANTS[name])])
    cases.push({ method: random.of(METHODS), chosen: Object.fromEntries(chosen) })
  }
  return cases.map(({ method, chosen }) => ({
    method,
    headersFor: (file) => Object.fromEntries(Object.entries(chosen).map(([name, variant]) => [name, variant(file)])),
  }))
}
