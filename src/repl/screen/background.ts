import type { Clock } from '../../clock.ts';
import type { TerminalTraits } from '../../terminal/device/terminal-kind.ts';
import type { Style, TerminalColors } from '../../terminal/style.ts';

const query = '\u001B]11;?\u001B\\';
/** Milliseconds; a later reply changes nothing, because text is on the screen already. */
const maxReply = 1000;
/** Milliseconds; terminals reply much sooner, also over ssh. */
const lastWait = 200;

/** The terminal's background, which the terminal is asked for once. */
export function createBackground(options: {
  /** What is known without asking. */
  readonly colors: TerminalColors;
  /** Without colours, or where the reply could be shown, nothing is asked. */
  readonly style: Pick<Style, 'colored'>;
  readonly traits: Pick<TerminalTraits, 'hasKeyProtocols'>;
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly onChange: () => void;
}) {
  const { clock, write, onChange, style, traits } = options;
  let { colors } = options;
  let askedAt: number | undefined;
  let isAnswered = false;
  const leave = new AbortController();
  const isRecent = () => askedAt !== undefined && clock.monotonic() - askedAt <= maxReply;
  return {
    colors: () => colors,
    ask(): void {
      const isNeeded = style.colored && colors.background === undefined;
      if (!isNeeded || !traits.hasKeyProtocols) return;
      askedAt = clock.monotonic();
      write(query);
    },
    answered(shade: NonNullable<TerminalColors['background']>): void {
      if (!isAnswered && isRecent()) {
        colors = { ...colors, background: shade };
        onChange();
      }
      isAnswered = true;
      leave.abort('answered');
    },
    /** Waits for a late reply, which would else appear in the shell. */
    async settled(): Promise<void> {
      if (isAnswered || !isRecent()) return;
      // Rejects as soon as the reply arrives.
      await clock.sleep(lastWait, leave.signal).catch(() => undefined);
    },
  };
}
