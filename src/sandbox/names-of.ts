/** The names of a table in their written order, with their type. */
export function namesOf<Name extends string>(
  table: Readonly<Partial<Record<Name, unknown>>>,
): readonly Name[] {
  return Object.keys(table).filter((name): name is Name => Object.hasOwn(table, name));
}
