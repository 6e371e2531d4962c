import { TextDecoder } from 'node:util';
import { Failure } from '../../../failure.ts';
import { maxGroupBytes } from './group-limits.ts';

export interface LineOptions {
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
}

/** Characters of a line; a longer one is cut. */
const maxLine = maxGroupBytes;

/** Lines with their ends, from pieces of input. */
export interface LineSplitter {
  /** @throws Failure `usage` for bytes that are not text */
  push(bytes: Uint8Array): readonly string[];
  /** The rest, without a line end. */
  end(): readonly string[];
}

/** The last index that does not divide a surrogate pair. */
const cutAt = (text: string, index: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) ? index - 1 : index;

function cutLine(line: string): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > maxLine) {
    const cut = cutAt(rest, maxLine);
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

/** @throws Failure `usage` for an unknown encoding */
export function createLineSplitter({ encoding = 'utf-8', lossy }: LineOptions): LineSplitter {
  const decoder = new TextDecoder(encoding, { fatal: lossy !== true });
  let rest = '';
  function decode(bytes?: Uint8Array): string {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      throw new Failure('usage', `standard input is not ${encoding.toUpperCase()}`, {
        hint: 'name its encoding with --stdin-encoding, or pass --lossy to replace invalid bytes',
        cause: error,
      });
    }
  }
  function take(text: string): readonly string[] {
    // Not a pattern: one that searches a long line for its end takes quadratic time.
    const lines = `${rest}${text}`.split('\n');
    const begun = cutLine(lines.pop() ?? '');
    rest = begun.at(-1) ?? '';
    return [...lines.flatMap((line) => cutLine(`${line}\n`)), ...begun.slice(0, -1)];
  }
  return {
    push: (bytes) => take(decode(bytes)),
    end() {
      const found = take(decode());
      return rest === '' ? found : [...found, rest];
    },
  };
}
