import { runInMemory } from './in-memory.ts';
import { type RunResult, serviceAt } from './natter.ts';
import { delta, done, finish, stream } from './raw-replies.ts';
import { serve } from './serve.ts';

export interface AskedService extends RunResult {
  /** Of the requests. */
  readonly bodies: readonly { readonly messages: readonly object[] }[];
}

/** natter with a service that gives these answers, one to each request, and the last one to all others. */
export async function askService(
  answers: readonly string[],
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<AskedService> {
  const server = await serve(answers.map((answer) => stream(delta(answer), finish('stop'), done)));
  const result = await runInMemory(words, { env: serviceAt(server, env) });
  const bodies = server.requests.map(({ body }) => JSON.parse(body) as AskedService['bodies'][0]);
  return { ...result, bodies };
}
