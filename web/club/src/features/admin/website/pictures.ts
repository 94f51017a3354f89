import { connect } from '@/lib/supabase'
import { pictureBucket } from '@/lib/site-picture'
import { uploadPath } from '@/lib/upload/paths'
import { mediaType } from '@/lib/upload/rules'
import { removeFiles } from '../files/queries/remove-files'

/** The key of uploads that are under way. */
export const pictureUpload = ['site-picture']
/** Seconds for which a browser keeps a picture: another picture has another path. */
const cacheSeconds = '31536000'

/** @returns the picture's place in its bucket */
export async function uploadPicture(file: File): Promise<string> {
  const supabase = await connect()
  const path = uploadPath('events', file.name)
  const options = { contentType: mediaType(file), cacheControl: cacheSeconds }
  const { error } = await supabase.storage.from(pictureBucket).upload(path, file, options)
  if (error) throw error
  return path
}

/** Removes the pictures that neither the website nor an event shows any more. */
export async function removeUnusedPictures() {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('unused_pictures')
  if (error) throw error
  await removeFiles(data.map(({ name }) => ({ bucket_id: pictureBucket, name })))
}
