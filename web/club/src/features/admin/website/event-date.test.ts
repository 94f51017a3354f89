import { describe, expect, it } from 'vitest'
import { isOneDay, wordsOf } from './event-date'

describe('the text for a day', () => {
  it.each([
    ['2026-05-14', '14th May 2026', '14', 'May 2026'],
    ['2026-11-01', '1st November 2026', '1', 'November 2026'],
    ['2026-06-02', '2nd June 2026', '2', 'June 2026'],
    ['2026-06-03', '3rd June 2026', '3', 'June 2026'],
    ['2026-06-11', '11th June 2026', '11', 'June 2026'],
    ['2026-06-12', '12th June 2026', '12', 'June 2026'],
    ['2026-06-13', '13th June 2026', '13', 'June 2026'],
    ['2026-03-21', '21st March 2026', '21', 'March 2026'],
    ['2026-03-31', '31st March 2026', '31', 'March 2026'],
  ])('%s', (day, date_text, board_large, board_small) => {
    expect(wordsOf(day)).toEqual({ date_text, board_large, board_small })
  })

  it.each(['', '2026-13-01', 'tomorrow'])('none for "%s"', (day) => {
    expect(wordsOf(day)).toBeUndefined()
  })
})

describe('one date determines all texts', () => {
  const day = { last_day: '2026-05-14', date_text: '14th May 2026', board_large: '14', board_small: 'May 2026' }
  it.each([
    [day, true],
    [{ last_day: '', date_text: '', board_large: '', board_small: '' }, true],
    [{ ...day, date_text: '13th and 14th May' }, false],
    [{ ...day, last_day: '2026-05-15' }, false],
    [{ last_day: '', date_text: 'Every Thursday', board_large: 'Thu', board_small: 'weekly' }, false],
  ])('%o: %s', (values, answer) => {
    expect(isOneDay(values)).toBe(answer)
  })
})
