import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';

/** A terminal without a program: what is written to it can be read back as a person would see it. */
export interface Screen {
  columns(): number;
  rows(): number;
  hasSize(): boolean;
  write(text: string): undefined;
  /** After all that was written has been shown. */
  resize(columns: number, rows: number): Promise<void>;
  /** The same, but the program sees the old size until `tell`. */
  resizeUntold(columns: number, rows: number): Promise<void>;
  tell(): void;
  /** All that was written has been shown, and what was asked is answered. */
  settled(): Promise<void>;
  /** The visible rows, trailing blanks removed. */
  screen(): Promise<string[]>;
  /** Scrollback and screen as lines of text: rows that the terminal wrapped are one line. */
  lines(): Promise<string[]>;
  cursor(): Promise<{ row: number; column: number }>;
  /** As terminals answer DSR 6, in its turn after what was written. */
  askColumn: (answer: (column: number) => void) => void;
  /** As xterm.js tells what it is. */
  askDrift: (answer: (cursorDrifts: boolean) => void) => void;
  /** Everything written. */
  readonly output: string[];
}

export function createScreen(columns: number, rows: number): Screen {
  const terminal = new Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    allowProposedApi: true,
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const output: string[] = [];
  const settled = () =>
    new Promise<void>((resolve) => {
      terminal.write('', resolve);
    });
  const buffer = () => terminal.buffer.active;
  let told = { columns, rows };
  const tell = () => {
    told = { columns: terminal.cols, rows: terminal.rows };
  };
  const resizeUntold = async (newColumns: number, newRows: number) => {
    await settled();
    terminal.resize(newColumns, newRows);
  };
  return {
    output,
    settled,
    tell,
    resizeUntold,
    askColumn(answer) {
      terminal.write('', () => answer(buffer().cursorX));
    },
    askDrift(answer) {
      terminal.write('', () => answer(true));
    },
    columns: () => told.columns,
    rows: () => told.rows,
    hasSize: () => true,
    write(text) {
      output.push(text);
      terminal.write(text);
      return undefined;
    },
    async resize(newColumns, newRows) {
      await resizeUntold(newColumns, newRows);
      tell();
    },
    async screen() {
      await settled();
      const found = Array.from({ length: terminal.rows }, (_, row) =>
        buffer()
          .getLine(buffer().baseY + row)
          ?.translateToString(true),
      );
      while (found.length > 0 && found.at(-1) === '') found.pop();
      return found.map((row) => row ?? '');
    },
    async lines() {
      await settled();
      const found: string[] = [];
      for (let index = 0; index < buffer().length; index += 1) {
        const row = buffer().getLine(index);
        const joinsLast = buffer().getLine(index + 1)?.isWrapped === true;
        const text = row?.translateToString(!joinsLast) ?? '';
        if (row?.isWrapped === true) found.push((found.pop() ?? '') + text);
        else found.push(text);
      }
      while (found.length > 0 && found.at(-1) === '') found.pop();
      return found;
    },
    async cursor() {
      await settled();
      return { row: buffer().cursorY, column: buffer().cursorX };
    },
  };
}
