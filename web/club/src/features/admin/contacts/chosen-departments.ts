/** The departments of a contact after one was ticked or unticked, in the order of ticking: the first one is the main department. */
export function chosenDepartments(chosen: readonly string[], id: string, isTicked: boolean): string[] {
  const others = chosen.filter((other) => other !== id)
  return isTicked ? [...others, id] : others
}
