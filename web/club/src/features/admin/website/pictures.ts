import { connect } from '@/lib/supabase'
import { pictureBucket } from '@/lib/site-picture'
import { uploadPath } from '@/lib/upload/paths'
import { mediaType } from '@/lib/upload/rules'
import { removeFiles } from '../files/queries/remove-files'

/** Mutation key of running uploads. */
export const pictureUpload = ['site-picture']
/** Cache lifetime of a picture in seconds. It can be long, because a new picture always gets a new path. */
const cacheSeconds = '31536000'

/** @returns the picture's path in its bucket */
export async function uploadPicture(file: File): Promise<string> {
  const supabase = await connect()
  const path = uploadPath('events', file.name)
  const options = { contentType: mediaType(file), cacheControl: cacheSeconds }
  const { error } = await supabase.storage.from(pictureBucket).upload(path, file, options)
  if (error) throw error
  return path
}

/** Deletes the pictures that are used neither by the published website nor by an event. */
export async function removeUnusedPictures() {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('unused_pictures')
  if (error) throw error
  await removeFiles(data.map(({ name }) => ({ bucket_id: pictureBucket, name })))
}
