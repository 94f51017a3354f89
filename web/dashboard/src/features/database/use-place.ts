import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'

/** The chosen schema and the search text, both kept in the URL. */
export function usePlace() {
  const [search, setSearch] = useAddressQuery()
  const set = (name: 'schema' | 'find', value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return { schema: search.get('schema') ?? 'public', text: search.get('find') ?? '', set }
}
