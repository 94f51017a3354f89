/** What the server says of a subscription. */
export interface SystemMessage {
  status: string
  message: string
}

/** Whether no publication sends the changes that were asked for. */
export const isUnpublished = ({ status, message }: SystemMessage) =>
  status === 'error' && message.startsWith('Unable to subscribe to changes')
