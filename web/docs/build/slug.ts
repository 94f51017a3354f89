/** The anchor of a heading, as GitHub makes it: the pages are read there too, with the same links. */
export function slug(heading: string) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-')
}
