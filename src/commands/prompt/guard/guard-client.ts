import type { Context } from '../../program/context.ts';
import type { ChatOptions, Client } from '../../../client/client.ts';
import type { CompletionRequest, Message } from '../../../client/contract.ts';
import type { ChatEvent } from '../../../client/events.ts';
import { maskValue } from '../../../secrecy/mask.ts';
import {
  openRedaction,
  type Plan,
  type Redaction,
  refuseSecrets,
  secretsIn,
} from './inspect-texts.ts';

/** @throws Failure `secrets` for a message with a secret */
function refuse(context: Context, plan: Plan, messages: readonly Message[]): void {
  maskValue(messages, (text) => {
    const [first] = secretsIn(context, text);
    if (first !== undefined) refuseSecrets(plan, first);
    return text;
  });
}

/** Messages with placeholders in place of secrets. */
export function redactMessages<Messages extends readonly Message[]>(
  context: Context,
  messages: Messages,
): { readonly messages: Messages; readonly redaction: Redaction } {
  const redaction = openRedaction(context);
  const redact = (text: string) => redaction.redactions.redact(text, secretsIn(context, text));
  return { messages: maskValue(messages, redact), redaction };
}

/** The client for many prompts, which refuses one with a secret, or sends placeholders. */
export function guardClient(context: Context, plan: Plan, client: Client): Client {
  async function* chat(
    request: CompletionRequest,
    options?: ChatOptions,
  ): AsyncGenerator<ChatEvent, void> {
    if (plan.mode === 'ask') {
      refuse(context, plan, request.messages);
      yield* client.chat(request, options);
      return;
    }
    const { messages, redaction } = redactMessages(context, request.messages);
    yield* redaction.restore(client.chat({ ...request, messages }, options));
  }
  const { send: _send, ...others } = client;
  return { ...others, chat };
}
