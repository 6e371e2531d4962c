import type { ReplState } from '../state.ts';
import type { TextTransform } from '../transcript.ts';

/**
 * The end of an answer that is held back: several lines, as of a table, as they would look if the answer ended
 * now; the end of a line as it is.
 */
export function createPreview() {
  let source = '';
  let shown = '';
  return ({ activity }: ReplState, transform: () => TextTransform | undefined): string => {
    const held = activity?.type === 'answer' ? activity.held : '';
    if (held === source) return shown;
    source = held;
    shown = held;
    const stream = held.includes('\n') ? transform() : undefined;
    if (stream !== undefined) {
      const text = stream.write(held);
      const rest = typeof text === 'string' ? stream.end() : '';
      shown = typeof text === 'string' && typeof rest === 'string' ? text + rest : held;
      shown = shown.replace(/\n+$/, '');
    }
    return shown;
  };
}
