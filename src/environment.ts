/** Variables by name; a copy of, or the real, process environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a variable says anything: an empty one is as good as none. */
export function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}
