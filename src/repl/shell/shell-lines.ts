import { keyOf, neededKeyOf } from '../composer/keys/key-bindings.ts';
import { contentOf, shownText } from '../composer/paste.ts';
import type { Draft } from '../composer/text-buffer.ts';
import { shellDialog, type Dialog } from '../dialog.ts';
import type { ReplState, Step } from '../state.ts';
import { andThen, printing, printNotice, refuse, startActivity, step, task } from '../step.ts';
import { runShellLine } from './run-shell-line.ts';
import { commandName, readShellLine, screenProgramOf, shellExplanation } from './shell-line.ts';

/** Only a typed mark starts a command, not the first character of a long paste. */
export function isForShell({ hasShell }: ReplState, { text }: Draft): boolean {
  return hasShell && text.startsWith('!');
}

/** The draft of a prompt that starts with `!`. */
export function asPrompt(draft: Draft): Draft {
  if (!draft.text.startsWith('!')) return draft;
  return { ...draft, text: ` ${draft.text}`, cursor: draft.cursor + 1 };
}

/** What to ask before a draft is run: its start was pasted, it has a long paste, or several lines. */
export function shellQuestion(state: ReplState, draft: Draft): Dialog | undefined {
  if (!isForShell(state, draft)) return undefined;
  const content = contentOf(draft);
  const lines = content.trimEnd().split('\n').length;
  const isPasted = state.isShellPasted === true || content !== draft.text;
  return isPasted || lines > 1 ? shellDialog(isPasted, lines) : undefined;
}

/** The keys that stop a command. In line mode no key is bound to `stop`. */
function stopKeys({ keyMap, isLineMode }: ReplState): string {
  const interrupt = neededKeyOf('interrupt', keyMap);
  const stop = isLineMode ? undefined : keyOf('stop', keyMap);
  return stop === undefined ? interrupt : `${stop} (${interrupt})`;
}

/** Runs a typed line that starts with `!`. */
export function runForShell(state: ReplState, draft: Draft, needsEcho: boolean): Step {
  const { command, isAttached } = readShellLine(contentOf(draft));
  const echoed = step(state, printing({ type: 'command', text: shownText(draft), needsEcho }));
  if (command === '')
    return andThen(echoed, (next) => printNotice(next, shellExplanation(stopKeys(next))));
  const program = screenProgramOf(command);
  if (program !== undefined) {
    const editor = keyOf('open-editor', state.keyMap);
    const way = editor === undefined ? '' : `; ${editor} opens the prompt in your editor`;
    const hint = `run it in a different window${way}`;
    return andThen(echoed, (next) =>
      refuse(next, `${program} needs a terminal, which a command does not have`, hint),
    );
  }
  const running = task(runShellLine, { command, isAttached });
  return andThen(echoed, (next) =>
    startActivity(next, `running ${commandName(command, 24)}`, running),
  );
}
