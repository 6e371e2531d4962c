import { EventEmitter } from 'node:events';
import { render, type Instance } from 'ink';
import type { Frame } from '../../terminal/region/paint.ts';
import type { RegionPlace } from '../../terminal/region/region.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import type { KeyEvent } from '../composer/keys/key-event.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import type { ReplState } from '../state.ts';
import { App } from './App.tsx';
import { type Layout, type Look, type View, ViewProvider } from './view.tsx';

/** UTF-16 units of the tail that are wrapped; only the last rows are shown. */
const maxTailLength = 4000;
const maxTailRows = 8;

/** The last rows of a text styled line by line, wrapped as the terminal wraps it. */
function wrapTail(text: string, columns: number, room: number): readonly string[] {
  const count = Math.min(maxTailRows, room);
  if (text === '' || count === 0) return [];
  const end = text.slice(-maxTailLength);
  const lines = text.length > maxTailLength ? end.slice(end.indexOf('\n') + 1) : end;
  return wrapText(lines.replaceAll('\t', '    '), columns, 'characters').slice(-count);
}

/** Opens the Ink application. The live region asks it for a frame right before it writes. */
export function createInkScreen(update: View['update']) {
  let layout: Layout = { caret: undefined, rowsBelow: 0 };
  const laidOut = (part: Partial<Layout>) => {
    layout = { ...layout, ...part };
  };
  const listeners: View['listeners'] = new Set();
  let frame = '';
  // What Ink takes for its terminal. With `debug` it writes each frame whole and at once.
  const sink = Object.assign(new EventEmitter(), {
    columns: 80,
    write(text: string) {
      frame = text;
      return true;
    },
  });
  let instance: Instance | undefined;
  type Place = Readonly<{ columns: number; rows: number; hasTail: boolean }>;
  const renderView = (state: ReplState, look: Look, place: Place): readonly string[] => {
    const view = { ...look, state, ...place, laidOut, update, listeners };
    // Ink reads it at each layout.
    sink.columns = view.columns;
    const app = (
      <ViewProvider value={view}>
        <App />
      </ViewProvider>
    );
    if (instance === undefined) {
      const stdout = sink as unknown as NodeJS.WriteStream;
      instance = render(app, { stdout, debug: true, patchConsole: false, exitOnCtrlC: false });
    } else instance.rerender(app);
    const rows = frame.replaceAll('…', view.symbols.ellipsis).split('\n');
    // Ink 6 cuts a column too late in front of a wide character.
    const isWide = (row: string) => displayWidth(row) > view.columns;
    return rows.map((row) =>
      isWide(row) ? (wrapText(row, view.columns, 'characters')[0] ?? '') : row,
    );
  };
  return {
    /** Draws the live region: `preview` is the end of the answer whose format is not decided yet. */
    draw(state: ReplState, preview: string, look: Look, place: RegionPlace): Frame {
      const { columns, rows, hasOpenLine } = place;
      // A row of full width leaves the cursor in a pending-wrap state in some terminals.
      const width = Math.max(1, columns - 1);
      const end = preview.indexOf('\n');
      const line = end === -1 ? preview : preview.slice(0, end);
      const isInline = hasOpenLine && displayWidth(line) < columns;
      const below = isInline ? preview.slice(line.length + 1) : preview;
      const drawn = renderView(state, look, { columns: width, rows, hasTail: below !== '' });
      const { caret, rowsBelow } = layout;
      // Not by Ink, which keeps each text that it has measured. One row is reserved for the text above.
      const tail = wrapTail(below, width, Math.max(0, rows - 1 - drawn.length));
      const shown = [...tail, ...drawn];
      return {
        rows: shown,
        caret: caret && {
          row: Math.max(0, shown.length - 1 - rowsBelow - caret.rowsBelow),
          column: Math.min(caret.column, columns - 1),
          shape: caret.shape,
        },
        preview: isInline ? line : undefined,
        // With a draft, the cursor stays at the caret, for input methods.
        keepsFirstRows:
          tail.length > 1 || (state.activity !== undefined && isEmpty(state.composer)),
      };
    },
    /** Offers a key to the open components, as they are in this state; returns whether one took it. */
    press(state: ReplState, look: Look, event: KeyEvent): boolean {
      const { columns, rows } = state;
      renderView(state, look, { columns, rows, hasTail: false });
      return [...listeners].some((listener) => listener(event));
    },
    close: () => instance?.unmount(),
  };
}
