import { closeFormula, longestFormula, meetInFormula } from './formula.ts';
import {
  LONGEST_SPAN,
  needsMore,
  runLength,
  type Enclosure,
  type ScanState,
} from './scan-state.ts';

const nextIn = {
  code: /`/g,
  tag: /[<>]/g,
  address: /[()\\]/g,
  formula: /[\\$`*_~[\]<&@/. \t\n]/g,
};

/** No real address nests parentheses deeper; without a limit, hostile text is read again and again. */
const DEEPEST_ADDRESS = 8;

/** Looks for the end of the code span, tag, link address or formula that is open. False: more text is needed. */
export function stepEnclosure(state: ScanState, enclosure: Enclosure): boolean {
  const next = nextIn[enclosure.kind];
  next.lastIndex = state.position;
  const found = next.exec(state.text)?.index ?? -1;
  const reached = found === -1 ? state.text.length : found;
  if (isTooLong(enclosure, reached)) return giveUp(state, enclosure, reached);
  if (found === -1) {
    state.position = reached;
    return state.final && giveUp(state, enclosure, reached);
  }
  switch (enclosure.kind) {
    case 'code':
      return meetBackticks(state, enclosure, found);
    case 'tag':
      return state.text[found] === '>' ? leave(state, found + 1) : giveUp(state, enclosure, found);
    case 'address':
      return meetParenthesis(state, enclosure, found);
    case 'formula':
      return stepFormula(state, enclosure, found);
  }
}

function isTooLong(enclosure: Enclosure, reached: number): boolean {
  if (enclosure.kind !== 'formula') return reached - enclosure.from > LONGEST_SPAN;
  return reached - enclosure.opened > longestFormula[enclosure.close];
}

function stepFormula(
  state: ScanState,
  formula: Enclosure & { kind: 'formula' },
  found: number,
): boolean {
  const step = meetInFormula(state, formula, found);
  if (step === 'needs more') return false;
  if (step === 'is none') return giveUp(state, formula, found);
  if (step === 'goes on') return true;
  closeFormula(state, formula, step);
  return leave(state, step);
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
  if (enclosure.depth > DEEPEST_ADDRESS) return giveUp(state, enclosure, found);
  return enclosure.depth === 0 ? leave(state, state.position) : true;
}

function leave(state: ScanState, position: number): true {
  state.position = position;
  state.enclosure = undefined;
  state.special = true;
  return true;
}

/** What looked like an opening is text, and so may be what follows it. */
function giveUp(state: ScanState, enclosure: Enclosure, reached: number): true {
  if (enclosure.kind === 'formula' && enclosure.close.startsWith('\\')) {
    state.unclosed[enclosure.close as '\\)' | '\\]'] = reached;
  }
  state.position = enclosure.from;
  state.enclosure = undefined;
  return true;
}
