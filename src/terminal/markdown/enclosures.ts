import {
  LONGEST_SPAN,
  needsMore,
  runLength,
  type Enclosure,
  type ScanState,
} from './scan-state.ts';

const nextIn = { code: /`/g, tag: /[<>]/g, address: /[()\\]/g };

/** No real address nests parentheses deeper; without a limit, hostile text is read again and again. */
const DEEPEST_ADDRESS = 8;

/** Looks for the end of the code span, tag or link address that is open. False: more text is needed. */
export function stepEnclosure(state: ScanState, enclosure: Enclosure): boolean {
  const next = nextIn[enclosure.kind];
  next.lastIndex = state.position;
  const found = next.exec(state.text)?.index ?? -1;
  const reached = found === -1 ? state.text.length : found;
  if (reached - enclosure.from > LONGEST_SPAN) return giveUp(state, enclosure);
  if (found === -1) {
    state.position = reached;
    return state.final && giveUp(state, enclosure);
  }
  switch (enclosure.kind) {
    case 'code':
      return meetBackticks(state, enclosure, found);
    case 'tag':
      return state.text[found] === '>' ? leave(state, found + 1) : giveUp(state, enclosure);
    case 'address':
      return meetParenthesis(state, enclosure, found);
  }
}

function meetBackticks(
  state: ScanState,
  enclosure: Enclosure & { kind: 'code' },
  found: number,
): boolean {
  const length = runLength(state.text, found);
  state.position = found;
  if (needsMore(state, found + length)) return false;
  state.position = found + length;
  return length === enclosure.length ? leave(state, state.position) : true;
}

function meetParenthesis(
  state: ScanState,
  enclosure: Enclosure & { kind: 'address' },
  found: number,
): boolean {
  const character = state.text[found];
  state.position = found + (character === '\\' ? 2 : 1);
  if (character === '(') enclosure.depth += 1;
  if (character === ')') enclosure.depth -= 1;
  if (enclosure.depth > DEEPEST_ADDRESS) return giveUp(state, enclosure);
  return enclosure.depth === 0 ? leave(state, state.position) : true;
}

function leave(state: ScanState, position: number): true {
  state.position = position;
  state.enclosure = undefined;
  state.special = true;
  return true;
}

/** What looked like an opening is text, and so may be what follows it. */
function giveUp(state: ScanState, enclosure: Enclosure): true {
  state.position = enclosure.from;
  state.enclosure = undefined;
  return true;
}
