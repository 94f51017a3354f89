/** A system message of the server about a subscription. */
export interface SystemMessage {
  status: string
  message: string
}

/** Whether the subscription gets no events because no publication sends the table's changes. */
export const isUnpublished = ({ status, message }: SystemMessage) =>
  status === 'error' && message.startsWith('Unable to subscribe to changes')
