export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as unset. */
export function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}
