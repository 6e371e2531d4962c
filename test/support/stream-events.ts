import type { Usage } from '../../src/client/contract.ts';

/** The body of a response, and the answer it contains. */
export interface StreamFixture {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly complete: boolean;
}

/** A fixture whose body may be text; the content type defaults to that of an event stream. */
export type FixtureParts = Omit<StreamFixture, 'bytes' | 'contentType'> & {
  readonly body: string | Uint8Array;
  readonly contentType?: string;
};

/** One event with `value` as JSON. */
export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A chunk of the contract with one choice. */
export function chunk(turn: unknown, finishReason: string | null = null): unknown {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'origin',
    choices: [{ index: 0, delta: turn, finish_reason: finishReason }],
  };
}

export function delta(content: string): string {
  return event(chunk({ content }));
}

export const stop = event(chunk({}, 'stop'));
export const done = 'data: [DONE]\n\n';

export const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
export const greeting = `${delta('Hel')}${delta('lo')}${stop}${done}`;
export const greeted = { text: 'Hello', finishReason: 'stop', complete: true };

/** Characters that need care in UTF-8, UTF-16, JSON or line splitting. */
export const multilingual = 'é 你好 👨‍👩‍👧 🏴 \u2028 ﷽ \u0000 "\\" \n';

/** Concatenates texts and byte lists. */
export function joined(...parts: (string | readonly number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );
}
