import { dispatchConversation, type SessionCore } from '../session/session-core.ts';
import type { SchemaCheck } from '../session/ports.ts';
import { failureEntry, notice } from '../state/entry.ts';

/** A complete answer to the prompt of a file with a schema. */
export interface AnswerToCheck {
  readonly shown: string;
  /** With placeholders for secrets. */
  readonly received: string;
  readonly promptId: string;
  /** The number of the next request that asks again, from 1. */
  readonly retry: number;
}

/**
 * Checks an answer, reports why it does not match, and records the prompt that asks again.
 * @returns the id of the turn to answer; undefined if nothing more is sent
 */
export function askAgain(
  core: SessionCore,
  schema: SchemaCheck,
  { shown, received, promptId, retry }: AnswerToCheck,
): string | undefined {
  const mismatch = schema.check(shown, received);
  if (mismatch === undefined) return undefined;
  const { text, correction } = mismatch;
  const what = core.ports.clean(`the answer does not match the schema: ${text}`);
  const { retries } = schema;
  if (retry > retries) {
    core.print([failureEntry(what, '/retry asks for a different answer, without a check')]);
    return undefined;
  }
  core.print([notice(`${what}; asking again (${retry} of ${retries})`)]);
  if (correction === undefined) return promptId;
  const { id } = core.journal().addTurn({ role: 'user', content: correction });
  dispatchConversation(core);
  return id;
}
