/** A system message of the server about a subscription. */
export interface SystemMessage {
  status: string
  message: string
}

/** Whether the subscription receives no events, because the table is in no publication. */
export const isUnpublished = ({ status, message }: SystemMessage) =>
  status === 'error' && message.startsWith('Unable to subscribe to changes')
