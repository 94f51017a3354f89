import { messageOf } from '@/lib/errors'
import { setContent, type SiteContent } from '@/lib/site-content'
import { connect } from '@/lib/supabase'

/** For an address such as /events?preview: shows what the club's tables say now in place of what was published last. The server gives it to admins only. */
export async function showDraft() {
  try {
    const supabase = await connect()
    const { data, error } = await supabase.rpc('draft_content')
    if (error) throw error
    setContent(data as unknown as SiteContent)
    document.documentElement.dataset.preview = ''
  } catch (error) {
    // What is published is shown, as to anybody.
    console.warn('There is no preview.', messageOf(error))
  }
}
