import { Fragment } from 'react'

/** Links for an e-mail address or phone number; undefined if there is none. */

export function emailLink(address: string | null) {
  if (!address) return undefined
  const [name, ...domain] = address.split('@')
  return (
    <a href={`mailto:${address}`}>
      {name}
      {/* If the address is too long for the line, it is broken before the domain. */}
      {domain.map((part, index) => (
        <Fragment key={index}>
          @<wbr />
          {part}
        </Fragment>
      ))}
    </a>
  )
}

export function phoneLink(number: string | null) {
  return number ? (
    <a href={`tel:${number.replace(/[^\d+]/g, '')}`} className="whitespace-nowrap">
      {number}
    </a>
  ) : undefined
}
