import { TextField } from '@/components/form/fields'
import { FormSection } from '@/components/form/FormSection'
import { FormShell } from '@/components/form/FormShell'
import { UploadField } from '@/components/form/UploadField'
import { ToldFailure, type FormSpec } from '@/lib/forms/form-spec'
import { insertOnce } from '@/lib/forms/insert-once'
import { useEntryForm, useStoredDraft } from '@/lib/forms/use-entry-form'
import { audio } from '@/lib/upload/rules'
import { batchError, batchNotice, musicForm, musicRecord, noFiles, type MusicEntry, type MusicValues } from './music-form'
import { useMusicList } from './use-music-list'

/** Form for the recordings of an entry. The user first chooses all recordings, then sends them together. */
export default function MusicForm() {
  const list = useMusicList()
  const spec: FormSpec<MusicValues, MusicEntry> = {
    ...musicForm,
    checkFiles: () => (list.ready === 0 ? noFiles : undefined),
    send: async (supabase, { nomineeName }, _paths, key) => {
      const { failed, total, paths } = await list.sendAll(nomineeName).catch((error: unknown) => {
        throw new ToldFailure(batchError(error))
      })
      if (failed > 0) throw new ToldFailure(batchNotice(failed, total))
      try {
        await insertOnce(supabase.from('extra_files').insert(musicRecord(nomineeName, paths, key)))
      } catch (error) {
        throw error instanceof ToldFailure ? error : new ToldFailure(batchError(error))
      }
      list.reset()
      return batchNotice(0, total || paths.length)
    },
  }
  const stored = useStoredDraft(spec)
  const entry = useEntryForm(spec, stored)
  return (
    <FormShell spec={spec} entry={entry} submit="Upload" submitting="Uploading...">
      <FormSection id="music-form" title="Your recordings">
        <TextField name="nomineeName" label="Nominee’s name" hint="As on the entry." autoComplete="off" />
        <UploadField name="uploadedFiles" uploads={list} accepted={audio} button="Choose audio files" />
      </FormSection>
    </FormShell>
  )
}
