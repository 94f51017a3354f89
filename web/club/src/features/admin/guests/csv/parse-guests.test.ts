import { describe, expect, it } from 'vitest'
import { decodeText } from './decode'
import { parseGuests } from './parse-guests'

const header = 'name,email,phone,organization,status,notes'

function guests(text: string) {
  return parseGuests(text).map(({ line, result }) =>
    'guest' in result ? { line, ...result.guest } : { line, errors: result.errors },
  )
}

describe('guests from a spreadsheet', () => {
  it.each([',', ';', '\t'])('reads columns in order, separated by %j', (separator) => {
    const text = [
      header.split(',').join(separator),
      ['Ann', 'ann@example.org', '1', 'Club', 'ACCEPTED', 'x'].join(separator),
    ].join('\n')
    expect(guests(text)).toEqual([
      { line: 2, name: 'Ann', email: 'ann@example.org', phone: '1', organization: 'Club', status: 'accepted', notes: 'x' },
    ])
  })

  it('treats the first line as a header, whatever it contains, and ignores blank lines', () => {
    expect(guests('Ann,ann@example.org\n\n  ,  \nBob\n').map(({ line }) => line)).toEqual([4])
  })

  it('uses the status invited if none is given, and keeps empty fields as null', () => {
    expect(guests(`${header}\nBob`)).toEqual([
      { line: 2, name: 'Bob', email: null, phone: null, organization: null, status: 'invited', notes: null },
    ])
  })

  it('reads quoted separators, quotes and line breaks, and counts the lines of the file', () => {
    const text = `${header}\r\n"Soutar, Ewan",,,"a\r\nb",,"said ""yes"""\r\n,x@example.org`
    expect(guests(text)).toEqual([
      {
        line: 2,
        name: 'Soutar, Ewan',
        email: null,
        phone: null,
        organization: 'a\r\nb',
        status: 'invited',
        notes: 'said "yes"',
      },
      { line: 4, errors: ['name: Name is required'] },
    ])
  })

  it('lists every error of a line', () => {
    const [line] = guests(`${header}\n${'x'.repeat(201)},nonsense,,,perhaps,,surplus`)
    expect(line).toEqual({
      line: 2,
      errors: [
        'name: At most 200 characters',
        'email: Invalid email',
        'status: Status must be invited, accepted or declined',
        'More columns than expected',
      ],
    })
  })
})

describe('the text of a file', () => {
  it.each([
    ['UTF-8', Buffer.from('Zoë', 'utf8')],
    ['UTF-8 with a mark', Buffer.from('\ufeffZoë', 'utf8')],
    ['UTF-16', Buffer.from('\ufeffZoë', 'utf16le')],
    ['the western code page', Buffer.from('Zoë', 'latin1')],
  ])('is read from %s', (_name, bytes) => {
    expect(decodeText(new Uint8Array(bytes))).toBe('Zoë')
  })
})
