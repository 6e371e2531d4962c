import { count } from '../../output/figures.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { ShellEnd } from '../session/ports.ts';
import { runTask, type SessionCore } from '../session/session-core.ts';
import type { Effect } from '../state/effect.ts';
import { notice, type Entry } from '../state/entry.ts';
import { createOutputLines } from './output-lines.ts';
import { createOutputTail } from './output-tail.ts';
import { commandName } from './shell-line.ts';

type RunShell = Extract<Effect, { readonly type: 'run-shell' }>;

/** Bytes of output that are attached. */
const maxAttached = 256_000;

/** Milliseconds between two pieces of output. Meanwhile the command waits if its pipe is full. */
const outputPause = 33;

/** What a command printed: shown line by line, and its end kept. */
function createShown(core: SessionCore, signal: AbortSignal) {
  const { shell, clock } = core.ports;
  const lines = createOutputLines();
  const tail = createOutputTail(maxAttached);
  let isBinary = false;
  const showOpen = (text: string) =>
    core.dispatch({ type: 'undecided-changed', text: shell.mask(sanitizeLine(text)) });
  const print = async (text: string) => {
    const shown = shell.mask(sanitize(text));
    tail.add(shown);
    if (shown !== '') await core.transcript.print([{ type: 'output', text: shown }]);
  };
  return {
    async add(text: string): Promise<void> {
      isBinary ||= text.includes('\0');
      await print(lines.add(text));
      showOpen(lines.open());
      // Rejects if the command is stopped.
      await clock.sleep(outputPause, signal).catch(() => undefined);
    },
    async end() {
      await print(lines.end());
      showOpen('');
      return { ...tail.end(), isBinary };
    },
  };
}

type Output = Awaited<ReturnType<ReturnType<typeof createShown>['end']>>;

function endText({ code, killedBy }: ShellEnd, isStopped: boolean): string {
  if (isStopped) return 'stopped';
  return killedBy === undefined ? `exit code ${code ?? 0}` : `ended by ${killedBy}`;
}

function attachmentOf(command: string, end: string, { text, cut }: Output) {
  const missing = cut === 0 ? '' : `(the first ${count(cut)} bytes are missing)\n`;
  const output = text === '' ? '(no output)\n' : text;
  return {
    name: `!${commandName(command)}`,
    content: `$ ${command}\n${missing}${output}(${end})\n`,
  };
}

function attachedText({ bytes, cut }: Output): string {
  if (bytes === 0) return 'attached to the next prompt';
  if (cut === 0) return `${count(bytes)} bytes are attached to the next prompt`;
  return `the last ${count(bytes - cut)} of ${count(bytes)} bytes are attached to the next prompt`;
}

const asksForTerminal = /\b(?:tty|terminal)\b/i;

function terminalHint({ text }: Output, isFailed: boolean): readonly Entry[] {
  if (!isFailed || !asksForTerminal.test(text.slice(-2000))) return [];
  return [
    notice('a command has no terminal and no input: run such a program in a different window'),
  ];
}

function openHint({ isOpen }: ShellEnd): readonly Entry[] {
  return isOpen ? [notice('a process it started is still running; its output is not shown')] : [];
}

/** Runs a command, shows its output as it arrives, and attaches its end to the next prompt. */
export function runShellLine(core: SessionCore, { command, isAttached }: RunShell): Promise<void> {
  return runTask(core, async (signal) => {
    const shown = createShown(core, signal);
    const ended = await core.ports.shell.run(command, {
      signal,
      onOutput: (text) => shown.add(text),
    });
    const output = await shown.end();
    const end = endText(ended, signal.aborted);
    const isFailed = !signal.aborted && ended.code !== 0;
    const parts = [end, ...(output.bytes === 0 ? ['no output'] : [])];
    if (isAttached && output.isBinary) parts.push('the output is binary, so it is not attached');
    else if (isAttached) {
      core.dispatch({ type: 'file-attached', file: attachmentOf(command, end, output) });
      parts.push(attachedText(output));
    }
    const last = notice(parts.join('; '));
    return [last, ...openHint(ended), ...terminalHint(output, isFailed)];
  });
}
