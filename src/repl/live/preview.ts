import type { ReplState } from '../state/state.ts';
import type { AnswerFormatter } from '../session/transcript.ts';

/**
 * Previews the undecided end of an answer: several lines, such as a table, are formatted as if the answer ended now;
 * a partial line is shown as it is.
 */
export function createPreview() {
  let source = '';
  let shown = '';
  return (
    { activity }: ReplState,
    transform: () => AnswerFormatter | Promise<AnswerFormatter>,
  ): string => {
    const undecided = activity?.type === 'answer' ? activity.undecided : '';
    if (undecided === source) return shown;
    source = undecided;
    shown = undecided;
    const stream = undecided.includes('\n') ? transform() : undefined;
    // Text is held back only after the formatter was loaded, so it is not a promise here.
    if (stream !== undefined && 'write' in stream) {
      const text = stream.write(undecided);
      const rest = typeof text === 'string' ? stream.end() : '';
      shown = typeof text === 'string' && typeof rest === 'string' ? text + rest : undecided;
      shown = shown.replace(/\n+$/, '');
    }
    return shown;
  };
}
