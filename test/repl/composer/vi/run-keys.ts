import { createBuffer, insert } from '../../../../src/repl/composer/text-buffer.ts';
import { pressCharacter, pressEscape, settled } from '../../../../src/repl/composer/vi/commands.ts';
import { parseKeys } from '../../../../src/repl/composer/vi/parse-keys.ts';
import {
  firstViState,
  type Edited,
  type ViState,
} from '../../../../src/repl/composer/vi/vi-state.ts';

const escape = '\u001B';

/** Normal mode, with the caret at an offset; the last change was `x`, the last search `fo`. */
export function viAt(text: string, cursor: number): Edited {
  const command = parseKeys(['x'], false);
  if (typeof command === 'string') throw new Error('x is not a command');
  const register = { text: 'zz', pastes: new Map(), isLinewise: false };
  const search = { character: 'o', isForward: true, isTill: false };
  const vi: ViState = {
    ...firstViState,
    mode: 'normal',
    change: { command },
    search,
    register,
  };
  return { vi, buffer: { ...createBuffer(text), cursor } };
}

function press({ vi, buffer }: Edited, key: string): Edited {
  if (key === escape) return pressEscape(vi, buffer) ?? { vi, buffer };
  if (vi.mode === 'insert') return { vi, buffer: insert(buffer, key) };
  return pressCharacter(vi, buffer, key);
}

function settle({ vi, buffer }: Edited): Edited {
  return { vi, buffer: settled(vi, buffer) };
}

/** Presses the keys of a text one by one; Esc is `\u001B`, Ctrl+R `\u0012`. */
export function runKeys(start: Edited, keys: string): Edited {
  return Array.from(keys).reduce((edited, key) => settle(press(edited, key)), start);
}
