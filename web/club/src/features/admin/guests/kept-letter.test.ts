import { expect, it } from 'vitest'
import { keepUnsaved } from '@/lib/unsaved-input'
import { keepLetter, readLetter } from './kept-letter'

it('a letter is stored with the subject that the server returned', () => {
  expect(readLetter('letter:1')).toBeUndefined()
  keepLetter('letter:1', { message: 'Dear Ann', subject: 'Following up' })
  expect(readLetter('letter:1')).toEqual({ message: 'Dear Ann', subject: 'Following up' })
  keepUnsaved('letter:1', 3)
  expect(readLetter('letter:1')).toBeUndefined()
})
