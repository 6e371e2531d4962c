import type { ChatOptions, Client } from '../../../client/client.ts';
import type { CompletionRequest, Message } from '../../../client/contract.ts';
import type { ChatEvent } from '../../../client/events.ts';
import { maskValue } from '../../../secrecy/mask.ts';
import {
  type GuardContext,
  openRedaction,
  type Plan,
  refuseSecrets,
  secretsIn,
} from './inspect-texts.ts';

/** @throws Failure `secrets` for a message with a secret */
function refuse(context: GuardContext, plan: Plan, messages: readonly Message[]): void {
  maskValue(messages, (text) => {
    const [first] = secretsIn(context, text);
    if (first !== undefined) refuseSecrets(plan, first);
    return text;
  });
}

/** The client for many prompts, which refuses one with a secret, or sends placeholders. */
export function guardClient(context: GuardContext, plan: Plan, client: Client): Client {
  async function* chat(
    request: CompletionRequest,
    options?: ChatOptions,
  ): AsyncGenerator<ChatEvent, void> {
    if (plan.mode === 'ask') {
      refuse(context, plan, request.messages);
      yield* client.chat(request, options);
      return;
    }
    const redaction = openRedaction(context);
    const messages = maskValue(request.messages, (text) =>
      redaction.redactions.redact(text, secretsIn(context, text)),
    );
    yield* redaction.restore(client.chat({ ...request, messages }, options));
  }
  const { send: _send, ...others } = client;
  return { ...others, chat };
}
