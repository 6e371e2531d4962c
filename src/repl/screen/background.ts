import type { Clock } from '../../clock.ts';
import type { TerminalColors } from '../../terminal/style.ts';

const query = '\u001B]11;?\u001B\\';
/** Milliseconds; a later reply changes nothing, because text is on the screen already. */
const maxReply = 1000;
/** Milliseconds; terminals reply much sooner, also over ssh. */
const lastWait = 200;

/** The terminal's background, which the terminal is asked for once. */
export function createBackground(options: {
  /** What is known without asking. */
  readonly colors: TerminalColors;
  /** False without colours, and where the reply could be shown. */
  readonly canAsk: boolean;
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly onChange: () => void;
}) {
  const { clock, write, onChange, canAsk } = options;
  let { colors } = options;
  let askedAt: number | undefined;
  let isAnswered = false;
  const leave = new AbortController();
  const isRecent = () => askedAt !== undefined && clock.monotonic() - askedAt <= maxReply;
  return {
    colors: () => colors,
    ask(): void {
      if (!canAsk || colors.background !== undefined) return;
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
