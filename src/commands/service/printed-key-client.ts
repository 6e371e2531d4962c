import type { Middleware } from '../../client/client.ts';
import { rephrase } from '../../client/failure/request-failure.ts';
import { Failure } from '../../failure.ts';

/** Names `label`, the setting of the command that printed the key, in the failures for a rejected key. */
export function explainPrintedKey(label: string): Middleware {
  const hint = `the key is from ${label}; natter auth status shows the command`;
  const explained = (error: unknown): unknown =>
    error instanceof Failure && error.remedy?.code === 'sign-in'
      ? rephrase(error, { hint })
      : error;
  const explain = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } catch (error) {
      throw explained(error);
    }
  };
  return (client) => ({
    async *chat(request, options) {
      try {
        yield* client.chat(request, options);
      } catch (error) {
        throw explained(error);
      }
    },
    listModels: (options) => explain(client.listModels(options)),
    getModel: (id, options) => explain(client.getModel(id, options)),
    close: () => client.close(),
  });
}
