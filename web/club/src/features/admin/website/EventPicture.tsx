import { useMutation } from '@tanstack/react-query'
import { useFormContext } from 'react-hook-form'
import { FieldError, FieldHint, fieldClass, fieldId, Optional } from '@/components/form/Field'
import { TextField, useFieldError } from '@/components/form/fields'
import { FilePicker } from '@/components/form/UploadField'
import { SitePicture } from '@/components/SitePicture'
import { messageOf } from '@/lib/errors'
import { photographs, refusal } from '@/lib/upload/rules'
import { Button } from '@cloch/ui/components/button'
import { notifyError } from '@cloch/ui/lib/notify'
import type { FieldValues } from '../shared/fields/field-rules'
import { pictureUpload, uploadPicture } from './pictures'

/**
 * The picture of an event with its alternative text. The picture is uploaded as soon as it is chosen, saved together with the event, and published
 * together with the website.
 */
export function EventPicture() {
  const { setValue, watch } = useFormContext<FieldValues>()
  const path = watch('picture', '')
  const error = useFieldError('picture')
  const set = (value: string) => setValue('picture', value, { shouldDirty: true, shouldValidate: error !== undefined })
  const upload = useMutation({
    mutationKey: pictureUpload,
    mutationFn: uploadPicture,
    onSuccess: set,
    onError: (failure) => notifyError({ title: 'Upload failed', description: messageOf(failure) }),
  })
  const choose = ([file]: File[]) => {
    if (!file) return
    const notice = refusal(file, photographs)
    if (notice) notifyError(notice)
    else upload.mutate(file)
  }
  const id = fieldId('picture')
  return (
    <div role="group" aria-labelledby={`${id}-label`} className={fieldClass(error)}>
      <p id={`${id}-label`} className="font-strong">
        Picture <Optional />
      </p>
      <FieldHint
        id={id}
        hint={`${photographs.words}, up to 10\u00a0MB. Show children only with the consent of their families.`}
      />
      <FieldError id={id} error={error} />
      {path === '' ? null : <SitePicture path={path} alt="" asAdmin className="max-w-[20rem]" />}
      <div className="flex flex-wrap items-center gap-2.5">
        <FilePicker
          id={id}
          accepted={photographs}
          button={path === '' ? 'Choose picture' : 'Choose another picture'}
          describedBy={`${id}-hint`}
          multiple={false}
          onFiles={choose}
        />
        {path === '' ? null : (
          <Button size="sm" variant="outline" onClick={() => set('')}>
            Remove picture
          </Button>
        )}
        <p role="status">{upload.isPending ? 'Uploading picture...' : ''}</p>
      </div>
      {path === '' ? null : (
        <TextField
          name="picture_alt"
          label="What the picture shows"
          hint="For visitors who do not see it, such as: Two rowers lift a cup on the pier."
        />
      )}
    </div>
  )
}
