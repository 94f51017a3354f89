import { refresh } from './notes'
import { onUser } from './session'
import { supabase } from './supabase'

onUser(async (id) => {
  await supabase.removeAllChannels()
  if (!id) return
  supabase
    .channel('notes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, () => void refresh())
    // Changes that were made before the subscription or during a network failure are not sent later, so the notes are loaded again.
    .subscribe((status) => status === 'SUBSCRIBED' && void refresh())
})
