export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as unset. */
export function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}

/** The environment for other programs: without natter's keys, the command that prints one, and the queue with its password. */
export function withoutKeys(environment: Environment): Environment {
  const {
    NATTER_API_KEY: _key,
    NATTER_API_KEY_COMMAND: _command,
    NATTER_UPSTREAM_API_KEY: _upstreamKey,
    NATTER_QUEUE: _queue,
    ...others
  } = environment;
  return others;
}
