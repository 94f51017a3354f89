import { messageOf } from '@/lib/errors'
import { setContent, type SiteContent } from '@/lib/site-content'
import { connect } from '@/lib/supabase'

/**
 * Called for a URL with the parameter `preview`, such as /events?preview. Replaces the published content by the current content of the club's tables.
 * The server returns the unpublished content only to admins.
 */
export async function showDraft() {
  try {
    const supabase = await connect()
    const { data, error } = await supabase.rpc('draft_content')
    if (error) throw error
    setContent(data as unknown as SiteContent)
    document.documentElement.dataset.preview = ''
  } catch (error) {
    // Not an admin, or no connection: the page shows the published content.
    console.warn('There is no preview.', messageOf(error))
  }
}
