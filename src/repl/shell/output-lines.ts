/** Characters of an unfinished line that are held back. */
const maxHeld = 65_536;

/** What a terminal shows of a line: a carriage return starts it again, as programs do to show progress. */
function shownLine(line: string): string {
  const ended = line.replace(/\r+$/, '');
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

export interface OutputLines {
  /** @returns the lines that are complete now, with their line ends */
  add(text: string): string;
  /** The unfinished line. */
  open(): string;
  /** The unfinished line, with a line end; empty if there is none. */
  end(): string;
}

/** Divides output into lines. The parts of a very long line are returned before its end. */
export function createOutputLines(): OutputLines {
  let held = '';
  let isDivided = false;
  return {
    add(text) {
      const lines = (held + text).split('\n');
      held = lines.pop() ?? '';
      const whole = lines.map((line) => `${shownLine(line)}\n`).join('');
      if (whole !== '') isDivided = false;
      if (held.length <= maxHeld) return whole;
      const part = shownLine(held);
      held = '';
      isDivided = true;
      return whole + part;
    },
    open: () => shownLine(held),
    end() {
      const rest = shownLine(held);
      held = '';
      return rest === '' && !isDivided ? '' : `${rest}\n`;
    },
  };
}
