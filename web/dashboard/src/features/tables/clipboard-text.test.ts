import { describe, expect, it } from 'vitest'
import { fromText, toText } from './clipboard-text'

describe('the text of a block', () => {
  it('has tabs between columns, line ends between rows, and an empty field for null', () => {
    expect(
      toText([
        ['1', null],
        ['2', 'Skiff'],
      ]),
    ).toBe('1\t\n2\tSkiff')
  })

  it('quotes only fields that contain a separator or begin with a quotation mark', () => {
    expect(toText([['a\tb', 'a\nb', '"x"', 'say "x"', "it's"]])).toBe('"a\tb"\t"a\nb"\t"""x"""\tsay "x"\tit\'s')
  })

  it('is parsed as it was written', () => {
    const rows = [
      ['a\tb', 'two\r\nlines', '"'],
      ['', 'say "x"', '{"a": 1}'],
    ]
    expect(fromText(toText(rows))).toEqual(rows)
  })

  it('may end with a line end, as in spreadsheets, and may have Windows line ends', () => {
    expect(fromText('1\t2\r\n3\t4\r\n')).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(fromText('1\n\n')).toEqual([['1'], ['']])
    expect(fromText('')).toEqual([['']])
  })

  it('keeps a quotation mark that is not closed', () => {
    expect(fromText('"open\tnext')).toEqual([['"open', 'next']])
    expect(fromText('"a"b\tc')).toEqual([['"a"b', 'c']])
  })
})
