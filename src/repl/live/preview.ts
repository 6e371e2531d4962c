import type { ReplState } from '../state/state.ts';
import type { TextTransform } from '../session/transcript.ts';

/**
 * The end of an answer that is held back: several lines, as of a table, as they would look if the answer ended
 * now; the end of a line as it is.
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
    // Nothing is held back before there was a transform, and loaded what it needs.
    if (stream !== undefined && 'write' in stream) {
      const text = stream.write(held);
      const rest = typeof text === 'string' ? stream.end() : '';
      shown = typeof text === 'string' && typeof rest === 'string' ? text + rest : held;
      shown = shown.replace(/\n+$/, '');
    }
    return shown;
  };
}
