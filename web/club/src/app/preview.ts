import { messageOf } from '@/lib/errors'
import { setContent, type SiteContent } from '@/lib/site-content'
import { connect } from '@/lib/supabase'

/**
 * For a URL such as /events?preview: shows the present content of the club's tables instead of the published content. The server returns it only to
 * admins.
 */
export async function showDraft() {
  try {
    const supabase = await connect()
    const { data, error } = await supabase.rpc('draft_content')
    if (error) throw error
    setContent(data as unknown as SiteContent)
    document.documentElement.dataset.preview = ''
  } catch (error) {
    // The published content is shown, as for all visitors.
    console.warn('There is no preview.', messageOf(error))
  }
}
