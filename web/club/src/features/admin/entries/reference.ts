/** The reference of an entry in receipts: the beginning of its id. The search finds it. */
export const referenceOf = ({ id }: { id: string }) => id.slice(0, 8).toUpperCase()
