import type { Middleware } from '../../../client/client.ts';
import type { Message } from '../../../client/contract.ts';
import type { Context } from '../../program/context.ts';
import { maskValue } from '../../../secrets/mask.ts';
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

/** For many prompts: refuses one with a secret, or sends placeholders. */
export function guardClient(context: Context, plan: Plan): Middleware {
  return (client) => ({
    ...client,
    async *chat(request, options) {
      if (plan.mode === 'ask') {
        refuse(context, plan, request.messages);
        yield* client.chat(request, options);
        return;
      }
      const { messages, redaction } = redactMessages(context, request.messages);
      yield* redaction.restore(client.chat({ ...request, messages }, options));
    },
  });
}
