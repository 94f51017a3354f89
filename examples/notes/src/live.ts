import { refresh } from './notes'
import { onUser } from './session'
import { supabase } from './supabase'

onUser(async (id) => {
  await supabase.removeAllChannels()
  if (!id) return
  supabase
    .channel('notes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, () => void refresh())
    // Changes from before the subscription, or from an interruption of the network, are not sent later: read them.
    .subscribe((status) => status === 'SUBSCRIBED' && void refresh())
})
