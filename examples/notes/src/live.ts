import { refresh } from './notes'
import { onUser } from './session'
import { supabase } from './supabase'

onUser(async (id) => {
  await supabase.removeAllChannels()
  if (!id) return
  supabase
    .channel('notes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, () => void refresh())
    // Realtime does not send changes that were made before the subscription or while the connection was interrupted. Therefore the notes are read
    // here.
    .subscribe((status) => status === 'SUBSCRIBED' && void refresh())
})
