/** An address or a number that can be used at once; undefined if there is none. */

export function emailLink(address: string | null) {
  return address ? <a href={`mailto:${address}`}>{address}</a> : undefined
}

export function phoneLink(number: string | null) {
  return number ? (
    <a href={`tel:${number.replace(/[^\d+]/g, '')}`} className="whitespace-nowrap">
      {number}
    </a>
  ) : undefined
}
