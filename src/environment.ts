export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as unset. */
export function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}

const ownSecrets = /^NATTER_(?:API_KEY|API_KEY_COMMAND|UPSTREAM_API_KEY|QUEUE)$/i;

/** The environment for other programs: without natter's keys, the command that prints one, and the queue with its password. */
export const withoutKeys = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !ownSecrets.test(name)));
