/** The anchor of a heading, in the form that GitHub uses. The pages are also read on GitHub, and the same links must work there. */
export function slug(heading: string) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-')
}
