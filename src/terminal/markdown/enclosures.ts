import { closeFormula, maxFormula, stepInFormula } from './formula.ts';
import { MAX_SPAN, needsMore, runLength, type Enclosure, type ScanState } from './scan-state.ts';

const nextIn = {
  code: /`/g,
  tag: /[<>]/g,
  address: /[()\\]/g,
  formula: /[\\${} \t\n]/g,
};

/** Real addresses do not nest parentheses deeper. Without a limit, hostile text takes quadratic time. */
const MAX_ADDRESS_DEPTH = 8;

/** Reads to the end of the open code span, tag, link address or formula. @returns false if more text is needed */
export function stepEnclosure(state: ScanState, enclosure: Enclosure): boolean {
  const next = nextIn[enclosure.kind];
  next.lastIndex = state.position;
  const found = next.exec(state.text)?.index ?? -1;
  const reached = found === -1 ? state.text.length : found;
  if (isTooLong(enclosure, reached)) return reject(state, enclosure, reached);
  if (found === -1) {
    state.position = reached;
    return state.final && reject(state, enclosure, reached);
  }
  switch (enclosure.kind) {
    case 'code':
      return handleBackticks(state, enclosure, found);
    case 'tag':
      return state.text[found] === '>' ? leave(state, found + 1) : reject(state, enclosure, found);
    case 'address':
      return handleParenthesis(state, enclosure, found);
    case 'formula':
      return stepFormula(state, enclosure, found);
  }
}

function isTooLong(enclosure: Enclosure, reached: number): boolean {
  if (enclosure.kind !== 'formula') return reached - enclosure.from > MAX_SPAN;
  return reached - enclosure.opened > maxFormula[enclosure.close];
}

function stepFormula(
  state: ScanState,
  formula: Enclosure & { kind: 'formula' },
  found: number,
): boolean {
  const step = stepInFormula(state, formula, found);
  if (step === 'needs more') return false;
  if (step === 'not a formula') return reject(state, formula, found);
  if (step === 'continue') return true;
  closeFormula(state, formula, step);
  return leave(state, step);
}

function handleBackticks(
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

function handleParenthesis(
  state: ScanState,
  enclosure: Enclosure & { kind: 'address' },
  found: number,
): boolean {
  const character = state.text[found];
  state.position = found + (character === '\\' ? 2 : 1);
  if (character === '(') enclosure.depth += 1;
  if (character === ')') enclosure.depth -= 1;
  if (enclosure.depth > MAX_ADDRESS_DEPTH) return reject(state, enclosure, found);
  return enclosure.depth === 0 ? leave(state, state.position) : true;
}

function leave(state: ScanState, position: number): true {
  state.position = position;
  state.enclosure = undefined;
  state.special = true;
  return true;
}

/** The opening is text, and what follows it is read again. */
function reject(state: ScanState, enclosure: Enclosure, reached: number): true {
  if (enclosure.kind === 'formula' && enclosure.close.startsWith('\\')) {
    state.unclosed[enclosure.close as '\\)' | '\\]'] = reached;
  }
  state.position = enclosure.from;
  state.enclosure = undefined;
  return true;
}
