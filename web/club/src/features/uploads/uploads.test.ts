import { describe, expect, it } from 'vitest'
import { filesForm, filesRecord, filesSchema } from './files-form'
import { batchError, batchNotice, musicSchema } from './music-form'
import { musicRefusal } from './use-music-list'

describe('additional files', () => {
  it('requires only entrant and organisation', () => {
    const issues = filesSchema.safeParse({ entrantName: '', organisation: ' ', additionalInfo: '' }).error?.issues ?? []
    expect(issues.map((issue) => issue.path[0])).toEqual(['entrantName', 'organisation'])
  })

  it('requires a file', () => {
    expect(filesForm.checkFiles?.([])).toEqual({
      title: 'No Files Uploaded',
      description: 'Please upload at least one file before submitting.',
    })
    expect(filesForm.checkFiles?.(['a'])).toBeUndefined()
  })

  it('are a separate row', () => {
    const entry = filesSchema.parse({ entrantName: 'Ailsa Sample', organisation: 'Sample Academy', additionalInfo: '' })
    expect(filesRecord(entry, ['a'], 'key')).toEqual({
      kind: 'additional',
      entrant_name: 'Ailsa Sample',
      organisation: 'Sample Academy',
      additional_info: null,
      uploaded_files: ['a'],
      submission_key: 'key',
    })
  })
})

describe('music', () => {
  const file = (name: string, type: string, size = 10) => {
    const made = new File(['x'], name, { type })
    Object.defineProperty(made, 'size', { value: size })
    return made
  }

  it('requires the name of the nominee', () => {
    expect(musicSchema.safeParse({ nomineeName: ' ' }).error?.issues[0]?.message).toBe("Please enter the nominee's name.")
  })

  it('accepts audio files of up to 10 MB', () => {
    expect(musicRefusal(file('a.mp3', 'audio/mpeg', 10 * 1024 * 1024))).toBeUndefined()
    expect(musicRefusal(file('a.mp3', 'audio/mpeg', 10 * 1024 * 1024 + 1))).toEqual({
      title: 'File too large',
      description: 'a.mp3 exceeds 10MB limit.',
    })
    expect(musicRefusal(file('a.pdf', 'application/pdf'))).toEqual({
      title: 'Invalid file type',
      description: 'a.pdf is not an audio file.',
    })
  })

  it('uses the name of a file whose type the device does not know', () => {
    expect(musicRefusal(file('take.flac', ''))).toBeUndefined()
  })

  it('counts failed and uploaded files', () => {
    expect(batchNotice(1, 3)).toEqual({ title: 'Some uploads failed', description: '1 of 3 file(s) failed. Please retry.' })
    expect(batchNotice(0, 3)).toEqual({ title: 'Upload complete', description: '3 file(s) uploaded successfully.' })
    expect(batchError(new Error('No network'))).toEqual({ title: 'Upload error', description: 'No network' })
    expect(batchError('?')).toEqual({ title: 'Upload error', description: 'Unexpected error' })
  })
})
