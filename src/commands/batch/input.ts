import { createReadStream, statSync } from 'node:fs';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { cannotRead } from '../program/named-file.ts';
import type { Context } from '../program/context.ts';

/** Where a batch's items come from. */
export interface BatchInput {
  /** For messages. */
  readonly name: string;
  /** A regular file, which can be read twice. */
  readonly isRepeatable: boolean;
  /** @throws Failure `usage` when it cannot be read; the signal's reason when that aborts */
  bytes(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

async function* fileBytes(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of createReadStream(name, { signal })) yield chunk as Uint8Array;
  } catch (error) {
    signal.throwIfAborted();
    throw cannotRead(name, error);
  }
}

function standardInput({ streams }: Context, notices: Notices, isAsked: boolean): BatchInput {
  const { stdin } = streams;
  if (stdin.isTerminal && !isAsked) {
    throw new Failure('usage', 'no input: name a file or pipe prompts in', {
      hint: 'for example: natter batch prompts.txt',
    });
  }
  if (stdin.isTerminal) notices.notice('reading standard input; press Ctrl-D to end it');
  return {
    name: 'standard input',
    isRepeatable: false,
    bytes: (signal) => stdin.bytes(signal),
  };
}

/** Opens `file`; `-` and undefined mean standard input. @throws Failure `usage` */
export function openBatchInput(
  context: Context,
  notices: Notices,
  file: string | undefined,
): BatchInput {
  if (file === undefined || file === '-') return standardInput(context, notices, file === '-');
  try {
    const isRepeatable = statSync(file).isFile();
    return { name: file, isRepeatable, bytes: (signal) => fileBytes(file, signal) };
  } catch (error) {
    throw cannotRead(file, error);
  }
}
