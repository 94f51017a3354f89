/**
 * Adds a department to a contact's departments, or removes it. They stay in the order in which they were ticked: the first one is the main
 * department.
 */
export function chosenDepartments(chosen: readonly string[], id: string, isTicked: boolean): string[] {
  const others = chosen.filter((other) => other !== id)
  return isTicked ? [...others, id] : others
}
