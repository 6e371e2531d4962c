import type { ChatOptions, Client } from '../../client/client.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import { rephrase } from '../../client/failure/request-failure.ts';
import { Failure } from '../../failure.ts';

/** The client, whose failures for a rejected key name `label`, the setting of the command that printed the key. */
export function explainPrintedKey(client: Client, label: string): Client {
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
  async function* chat(
    request: CompletionRequest,
    options?: ChatOptions,
  ): AsyncGenerator<ChatEvent, void> {
    try {
      yield* client.chat(request, options);
    } catch (error) {
      throw explained(error);
    }
  }
  const { send } = client;
  return {
    chat,
    ...(send !== undefined && { send: (...words) => explain(send(...words)) }),
    listModels: (options) => explain(client.listModels(options)),
    getModel: (id, options) => explain(client.getModel(id, options)),
    close: () => client.close(),
  };
}
