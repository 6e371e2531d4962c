import { isPunctuation, isSpace, isWide, type Opener } from './scan-state.ts';

export interface DelimiterRun {
  readonly character: string;
  readonly length: number;
  readonly before: string;
  readonly after: string;
  readonly position: number;
  readonly wordStart: number;
}

/**
 * Emphasis (CommonMark 6.2), close enough to know which marks are still open; the lexer decides what they mean. Text in
 * scripts without spaces may follow a closing mark directly.
 * @returns whether a mark was closed
 */
export function handleRun(openers: Opener[], run: DelimiterRun): boolean {
  const spaceBefore = isSpace(run.before);
  const spaceAfter = isSpace(run.after);
  const markBefore = isPunctuation(run.before);
  const markAfter = isPunctuation(run.after);
  const left = !spaceAfter && (!markAfter || spaceBefore || markBefore || isWide(run.before));
  const right = !spaceBefore && (!markBefore || spaceAfter || markAfter || isWide(run.after));
  const underscore = run.character === '_';
  const canOpen = left && (!underscore || !right || markBefore);
  const canClose = right && (!underscore || !left || markAfter);
  if (run.character === '~' && run.length !== 2) return false;
  const rest = canClose ? close(openers, run, canOpen) : run.length;
  if (rest > 0 && canOpen) {
    const { character, position, wordStart } = run;
    openers.push({ character, length: rest, both: canClose, position, wordStart });
  }
  return rest < run.length;
}

/** Closes the openers that the run can close, and drops those in between. @returns the marks that are left */
function close(openers: Opener[], run: DelimiterRun, both: boolean): number {
  let rest = run.length;
  for (let index = openers.length - 1; index >= 0 && rest > 0; index -= 1) {
    const opener = openers[index];
    if (opener?.character !== run.character) continue;
    const three = (opener.both || both) && (opener.length + rest) % 3 === 0 && rest % 3 !== 0;
    if (three) continue;
    const used = Math.min(opener.length, rest, opener.length >= 2 && rest >= 2 ? 2 : 1);
    openers.length = index + 1;
    opener.length -= used;
    rest -= used;
    if (opener.length === 0) openers.pop();
    else index += 1;
  }
  return rest;
}
