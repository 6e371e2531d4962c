import { count } from '../../output/figures.ts';
import { maskText } from '../../secrets/secrets.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { contentOf, shownText } from '../composer/paste.ts';
import type { Draft } from '../composer/text-buffer.ts';
import { notice, type Entry } from '../transcript/transcript.ts';
import { withAttached } from '../files/attachments.ts';
import type { Session } from '../session.ts';
import type { ReplState, Update } from '../state.ts';
import {
  andThen,
  printing,
  printNotice,
  startActivity,
  step,
  stopKey,
  withUndecided,
} from '../step.ts';
import { runInShell } from './shell-command.ts';

/** Only a typed mark starts a command, not the first character of a long paste. */
export function isForShell({ hasShell }: ReplState, { text }: Draft): boolean {
  return hasShell && text.startsWith('!');
}

/** The draft of a prompt that starts with `!`. */
export function asPrompt(draft: Draft): Draft {
  if (!draft.text.startsWith('!')) return draft;
  return { ...draft, text: ` ${draft.text}`, cursor: draft.cursor + 1 };
}

const shellExplanation = (state: ReplState) =>
  [
    '!command runs in your shell, and its output is attached to the next prompt',
    '!!command runs without attaching the output',
    `a command has no terminal and no input; ${stopKey(state)} ends it`,
    'a space before ! sends the line as a prompt',
  ].join('\n');

/** Runs a typed line that starts with `!`. */
export function runForShell(state: ReplState, draft: Draft, needsEcho: boolean): Update {
  const { command, isAttached } = readShellLine(contentOf(draft));
  const echoed = step(state, printing({ type: 'command', text: shownText(draft), needsEcho }));
  if (command === '') return andThen(echoed, (next) => printNotice(next, shellExplanation(next)));
  return andThen(echoed, (next) =>
    startActivity(next, `running ${commandName(command, 24)}`, runShellLine, {
      command,
      isAttached,
    }),
  );
}

/** Bytes of output that are attached. */
const maxAttached = 256_000;

/** Milliseconds between two pieces of output. Meanwhile the command waits if its pipe is full. */
const outputPause = 33;

/** Rows at the start of a long output that are shown as they arrive, and at its end. */
const firstRows = 100;
const lastRows = 20;

/** What a command printed: shown line by line, and its end kept. Of a long output that is attached, the middle is not shown. */
function createShown(session: Session, signal: AbortSignal, showsAll: boolean) {
  const { clock, secrets } = session.context;
  const lines = createOutputLines();
  const tail = createOutputTail(maxAttached);
  let isBinary = false;
  let room = showsAll ? Number.POSITIVE_INFINITY : firstRows;
  let held: readonly string[] = [];
  let hidden = 0;
  const write = async (rows: readonly string[]) => {
    const text = rows.join('');
    if (text !== '') await session.transcript.print([{ type: 'output', text }]);
  };
  const print = async (text: string) => {
    const shown = maskText(secrets, sanitize(text));
    tail.add(shown);
    const rows = shown.split(/(?<=\n)/).filter((row) => row !== '');
    const first = rows.slice(0, room);
    room -= first.length;
    const rest = [...held, ...rows.slice(first.length)];
    held = rest.slice(-lastRows);
    hidden += rest.length - held.length;
    await write(first);
  };
  return {
    async add(text: string): Promise<void> {
      isBinary ||= text.includes('\0');
      await print(lines.add(text));
      const open = maskText(secrets, sanitizeLine(lines.open()));
      // Without an unfinished line, the preview has the last of the rows that are not shown yet.
      const preview = open || (held.at(-1)?.trimEnd() ?? '');
      session.update((state) => withUndecided(state, preview));
      // Rejects if the command is stopped.
      await clock.sleep(outputPause, signal).catch(() => undefined);
    },
    async end() {
      await print(lines.end());
      if (hidden > 0) {
        const middle = `${count(hidden)} rows are not shown; with !! all rows are`;
        await session.transcript.print([notice(middle)]);
      }
      await write(held);
      session.update((state) => withUndecided(state, ''));
      return { ...tail.end(), isBinary };
    },
  };
}

type Output = Awaited<ReturnType<ReturnType<typeof createShown>['end']>>;

function attachedText({ bytes, cut }: Output): string {
  if (bytes === 0) return 'attached to the next prompt';
  if (cut === 0) return `${count(bytes)} bytes of output are attached to the next prompt`;
  return `the last ${count(bytes - cut)} of ${count(bytes)} bytes are attached to the next prompt`;
}

const asksForTerminal = /\b(?:tty|terminal)\b/i;
const terminalHint =
  'a command has no terminal and no input: run such a program in a different window';
const openHint = 'a process it started is still running; its output is not shown';

/** Runs a command, shows its output as it arrives, and attaches its end to the next prompt. */
export async function runShellLine(
  session: Session,
  { command, isAttached }: { readonly command: string; readonly isAttached: boolean },
  signal: AbortSignal,
  run = runInShell,
): Promise<readonly Entry[]> {
  const shown = createShown(session, signal, !isAttached);
  const onOutput = (text: string) => shown.add(text);
  const ended = await run(command, { signal, onOutput }, session.context);
  const output = await shown.end();
  const { code = 0, killedBy, isOpen } = ended;
  const exit = killedBy === undefined ? `exit code ${code}` : `ended by ${killedBy}`;
  const end = signal.aborted ? 'stopped' : exit;
  const isFailed = !signal.aborted && ended.code !== 0;
  const parts = [end, ...(output.bytes === 0 ? ['no output'] : [])];
  if (isAttached && output.isBinary) parts.push('the output is binary, so it is not attached');
  else if (isAttached) {
    const { text, cut } = output;
    const missing = cut === 0 ? '' : `(the first ${count(cut)} bytes are missing)\n`;
    const content = `$ ${command}\n${missing}${text || '(no output)\n'}(${end})\n`;
    const file = { name: `!${commandName(command)}`, content };
    session.update((state) => step(withAttached(state, file)));
    parts.push(attachedText(output));
  }
  const lines = [parts.join('; ')];
  if (isOpen) lines.push(openHint);
  if (isFailed && asksForTerminal.test(output.text.slice(-2000))) lines.push(terminalHint);
  return lines.map((line) => notice(line));
}

/** Characters of an unfinished line that are held back; a longer one is divided. */
const maxHeld = 65_536;

/** What a terminal shows of a line: a carriage return starts it again, as programs do to show progress. */
function shownLine(line: string): string {
  const ended = line.replace(/\r+$/, '');
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

/** Divides output into lines. */
export function createOutputLines() {
  let held = '';
  return {
    /** @returns the lines that are complete now, with their line ends */
    add(text: string): string {
      const lines = (held + text).split('\n');
      held = lines.pop() ?? '';
      if (held.length > maxHeld) {
        lines.push(held);
        held = '';
      }
      return lines.map((line) => `${shownLine(line)}\n`).join('');
    },
    /** The unfinished line. */
    open: () => shownLine(held),
    /** The unfinished line, with a line end; empty if there is none. */
    end(): string {
      const rest = shownLine(held);
      held = '';
      return rest === '' ? '' : `${rest}\n`;
    },
  };
}

/** The last `limit` bytes: whole lines, if the cut is not in the last one; else whole characters. */
function endOf(text: string, limit: number): string {
  const end = Buffer.from(text).subarray(-limit).toString();
  const next = end.indexOf('\n') + 1;
  return next > 0 && next < end.length ? end.slice(next) : end.replace(/^\uFFFD+/, '');
}

/** Keeps the last `limit` bytes (UTF-8) of a text that arrives in pieces. */
export function createOutputTail(limit: number) {
  let kept = '';
  let bytes = 0;
  return {
    add(text: string) {
      bytes += Buffer.byteLength(text);
      // A character has at least as many bytes as UTF-16 units.
      kept = (kept + text).slice(-limit);
    },
    /** The end of the text, and the number of bytes that were cut before it. */
    end() {
      const text = bytes <= limit ? kept : endOf(kept, limit);
      return { text, bytes, cut: bytes - Buffer.byteLength(text) };
    },
  };
}

/** Reads `!command`, and `!!command`, which attaches nothing. The command is empty if there is only a mark. */
export function readShellLine(text: string) {
  const [, marks = '', command = ''] = /^(!{0,2})([^]*)$/.exec(text) ?? [];
  return { command: command.trim(), isAttached: marks.length < 2 };
}

/** The first line of a command, shortened to a number of characters. */
export function commandName(command: string, maxLength = 60): string {
  const [first = '', ...others] = command.split('\n');
  const name = Array.from(first);
  if (name.length > maxLength) return `${name.slice(0, maxLength - 1).join('')}…`;
  return others.length === 0 ? first : `${first} …`;
}
