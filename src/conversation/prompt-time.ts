// When a prompt was sent, in the words of transcripts and exports, and in local time.

const hour = 3_600_000;
/** Hours between two turns that are worth a line. */
const minGap = 2;
/** A gap of this many hours or more is given in days. */
const twoDays = 48;

/** The time of a prompt, as far as it is not known from the turn before. */
export type PromptTime = NonNullable<ReturnType<typeof promptTime>>;

/** Tells the time of a prompt. Without a known time (a damaged journal has the epoch) it is undefined. */
export function promptTime(at: Date, before: Date | undefined) {
  if (at.getTime() === 0) return undefined;
  const last = before?.getTime() === 0 ? undefined : before;
  const clock = at.toTimeString().slice(0, 5);
  const part = (options: Intl.DateTimeFormatOptions) => at.toLocaleDateString('en', options);
  const day = () => {
    const text = `${part({ weekday: 'long' })} ${at.getDate()} ${part({ month: 'long' })}`;
    const isNewYear = last !== undefined && last.getFullYear() !== at.getFullYear();
    return isNewYear ? `${text} ${at.getFullYear()}` : text;
  };
  const hours = last === undefined ? 0 : (at.getTime() - last.getTime()) / hour;
  const count = hours < twoDays ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`;
  const isSameDay = last?.toDateString() === at.toDateString();
  const isLater = hours > minGap;
  return {
    /** `14:05`. */
    clock,
    /** `Saturday 28 November`; undefined on the day of the turn before, and after a gap, whose line names the day. */
    day: isLater || isSameDay ? undefined : day(),
    /** `3 hours later, Saturday 28 November 14:05`, which stands before the prompt. */
    gap: isLater ? `${count} later, ${day()} ${clock}` : undefined,
  };
}

/** `Saturday 28 November 14:05`, or only the clock. */
export const timeText = ({ day, clock }: PromptTime): string =>
  day === undefined ? clock : `${day} ${clock}`;
