import { setImmediate as tick } from 'node:timers/promises';
import { createHistory } from '../../../src/repl/composer/history.ts';
import type { ReplFiles } from '../../../src/repl/files/user-files.ts';
import { LineEditor } from '../../../src/repl/line-mode/line-editor.ts';
import { createMemoryOutput } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { createScreen } from '../../support/screen.ts';

interface EditorOptions {
  readonly columns?: number;
  readonly history?: readonly string[];
  readonly files?: Partial<ReplFiles>;
}

/** An editor of lines on a screen in memory, after the question `You: `. */
export function openEditor({ columns = 40, history = [], files }: EditorOptions = {}) {
  const screen = createScreen(columns, 12);
  const lines: string[] = [];
  const events: string[] = [];
  // In Node's raw mode the terminal still turns LF into CR LF.
  const write = (text: string) => screen.write(text.replaceAll('\n', '\r\n'));
  const ask = () => {
    const question = editor.isSearching() ? 'Search: ' : 'You: ';
    write(question);
    editor.show(question.length);
  };
  const { session } = openMemorySession({
    repl: (usual) => ({
      ...usual,
      files: { ...usual.files, ...files },
      context: {
        ...usual.context,
        streams: {
          ...usual.context.streams,
          stdout: { ...createMemoryOutput(true, columns), write },
        },
      },
    }),
    screen: {
      redraw() {
        events.push('discarded');
        ask();
      },
      suspend: () => void events.push('suspend'),
    },
    state: { history: createHistory(history) },
  });
  const editor = new LineEditor(session, {
    collect: (entered) => void lines.push(...entered),
    wait: () => void events.push('unfinished'),
    discard: () => void events.push('cleared'),
    interrupt: () => void events.push('interrupt'),
    end: () => void events.push('end'),
    say(words) {
      editor.hide();
      write(`\nnatter: ${words}\n`);
      ask();
    },
  });
  ask();
  /** Types each text in one read, and waits for what it starts. */
  const type = async (...keys: readonly string[]) => {
    for (const key of keys) {
      editor.feed(Buffer.from(key));
      await tick();
    }
  };
  return { screen, editor, type, lines, events };
}
