/** The reference of an entry, as printed in its receipt: the first characters of its id. The search finds entries by it. */
export const referenceOf = ({ id }: { id: string }) => id.slice(0, 8).toUpperCase()
