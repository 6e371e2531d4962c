import type { ReplState } from '../state/state.ts';
import type { TextTransform } from '../session/transcript.ts';

/**
 * Previews the undecided end of an answer: several lines, such as a table, are formatted as if the answer ended now;
 * a partial line is shown as it is.
 */
export function createPreview() {
  let source = '';
  let shown = '';
  return (
    { activity }: ReplState,
    transform: () => TextTransform | Promise<TextTransform>,
  ): string => {
    const held = activity?.type === 'answer' ? activity.held : '';
    if (held === source) return shown;
    source = held;
    shown = held;
    const stream = held.includes('\n') ? transform() : undefined;
    // Text is held back only after the formatter was loaded, so it is not a promise here.
    if (stream !== undefined && 'write' in stream) {
      const text = stream.write(held);
      const rest = typeof text === 'string' ? stream.end() : '';
      shown = typeof text === 'string' && typeof rest === 'string' ? text + rest : held;
      shown = shown.replace(/\n+$/, '');
    }
    return shown;
  };
}
