import { createBuffer, type TextBuffer } from './composer/text-buffer.ts';
import type { PendingPrompt, PromptVariable } from './prompt-files/prompt-command.ts';

/** A local server that answered the probe. */
export interface FoundServer {
  /** Product name, such as `Ollama`. */
  readonly name: string;
  readonly url: string;
  readonly models: readonly string[];
}

export interface DialogChoice {
  readonly key:
    | 'connect'
    | 'probe'
    | 'sandbox'
    | 'server'
    | 'send'
    | 'redact'
    | 'run'
    | 'as-prompt'
    | 'export'
    | 'copy'
    | 'cancel'
    | 'value'
    | 'model'
    | 'role'
    | 'theme';
  readonly label: string;
  /** For `server` choices. */
  readonly url?: string;
  readonly model?: string;
  /**
   * For `export` choices: the file, and whether it is replaced. For `copy`: the id of the conversation. For `model`,
   * `role` and `theme`: the value.
   */
  readonly argument?: string;
  readonly replaces?: boolean;
}

interface DialogFrame {
  /** Esc goes back to this dialog; without it, Esc cancels. */
  readonly previous?: Dialog | undefined;
  /** The prompt file that the dialog asks a value for. */
  readonly pending?: PendingPrompt;
}

/** Receives every key until it is answered or cancelled. */
export type Dialog =
  | (DialogFrame & {
      readonly type: 'choice';
      /** May have several lines. */
      readonly title: string;
      readonly choices: readonly DialogChoice[];
      readonly selected: number;
      /** The start of a value, as typed. */
      readonly typed?: string;
    })
  | (DialogFrame & {
      readonly type: 'entry';
      readonly asks: 'address' | 'key' | 'value';
      readonly title: string;
      readonly input: TextBuffer;
      /** Typed text is not shown. */
      readonly isHidden: boolean;
      /** The service the key is for, or the previously entered address. */
      readonly address: string;
    });

export function keyDialog(address: string, previous?: Dialog): Dialog {
  return {
    type: 'entry',
    asks: 'key',
    title: `API key for ${address} (not shown; empty for none)`,
    input: createBuffer(),
    isHidden: true,
    address,
    previous,
  };
}

/** What to do after the service refused a request without a valid key. */
export const keyHint = (hasKey: boolean) =>
  hasKey ? 'enter a different key here' : 'enter a key here';

export function addressDialog(previous?: Dialog, address = ''): Dialog {
  return {
    type: 'entry',
    asks: 'address',
    title: 'base URL of the service, such as https://api.example.com',
    input: createBuffer(address),
    isHidden: false,
    address,
    previous,
  };
}

const connectionChoices: readonly DialogChoice[] = [
  { key: 'connect', label: 'connect to a service (URL and API key)' },
  { key: 'probe', label: 'look for a server on this machine (llama.cpp, Ollama, vLLM, LM Studio)' },
  { key: 'sandbox', label: 'use the sandbox: no key needed, nothing leaves this machine' },
];

/** Shown at the start when no service is configured. */
export function firstRunDialog(): Dialog {
  return {
    type: 'choice',
    title: 'no service is configured yet',
    choices: connectionChoices,
    selected: 0,
  };
}

export function serversDialog(servers: readonly FoundServer[], previous?: Dialog): Dialog {
  const [connect, , sandbox] = connectionChoices;
  const found = servers.map(({ name, url, models }): DialogChoice => {
    const [model] = models;
    const offer = model === undefined ? 'no models listed' : models.slice(0, 3).join(', ');
    const label = `use ${name} at ${url} (${offer})`;
    return { key: 'server', label, url, ...(model === undefined ? {} : { model }) };
  });
  return {
    type: 'choice',
    title: servers.length === 0 ? 'no server was found on this machine' : 'found on this machine',
    choices: [...found, ...[connect, sandbox].filter((choice) => choice !== undefined)],
    selected: 0,
    previous,
  };
}

/** Before a prompt with secrets in its files is sent. */
export function secretsDialog(address: string): Dialog {
  return {
    type: 'choice',
    title: `the files have secrets, which would be sent to ${address}`,
    choices: [
      { key: 'redact', label: 'send placeholders, and put the secrets back in the answer' },
      { key: 'send', label: 'send the secrets' },
      { key: 'cancel', label: 'send nothing' },
    ],
    selected: 0,
  };
}

/** Before a text that starts with `!` is run, if it was pasted or has several lines. */
export function shellDialog(isPasted: boolean, lines: number): Dialog {
  const what = lines === 1 ? 'this command' : `these ${lines} lines`;
  return {
    type: 'choice',
    title: `run ${isPasted ? 'the pasted text' : what} in the shell?`,
    choices: [
      { key: 'cancel', label: 'no, keep editing' },
      { key: 'run', label: `run ${what}` },
      { key: 'as-prompt', label: 'send the text as a prompt' },
    ],
    selected: 0,
  };
}

/** Before a copy of a conversation that is open in another natter is opened; `title` is the reason. */
export function copyDialog(title: string, id: string, isFromList: boolean): Dialog {
  return {
    type: 'choice',
    title,
    choices: [
      { key: 'copy', label: 'continue in a copy', argument: id },
      { key: 'cancel', label: isFromList ? 'back to the list' : 'open nothing' },
    ],
    selected: 0,
  };
}

/** Asks for one of the values of a setting; the current one is selected. A label begins with its value. */
export function settingDialog(
  key: 'model' | 'role' | 'theme',
  values: readonly string[],
  current: string | undefined,
  labels = values,
): Dialog {
  return {
    type: 'choice',
    title: current === undefined ? `no ${key} is set` : `the ${key} is ${current}`,
    choices: values.map((value, index) => ({
      key,
      label: labels[index] ?? value,
      argument: value,
    })),
    selected: Math.max(0, values.indexOf(current ?? '')),
  };
}

/** Before a model that the service does not list is used. */
export function modelDialog(wanted: string, near: string | undefined, current: string): Dialog {
  const use = (id: string, label: string) => ({ key: 'model', label, argument: id }) as const;
  return {
    type: 'choice',
    title: `the service does not list the model ${wanted}`,
    choices: [
      ...(near === undefined ? [] : [use(near, `use ${near}`)]),
      { key: 'cancel', label: `keep ${current}` },
      use(wanted, `use ${wanted} anyway`),
    ],
    selected: 0,
  };
}

function variableTitle(
  { name, description, default: usual }: PromptVariable,
  { prompt }: PendingPrompt,
): string {
  const what = description === undefined ? '' : `, ${description}`;
  const empty = usual === undefined ? '' : ` (Enter: ${usual})`;
  return `/${prompt.name}: ${name}${what}${empty}`;
}

/** Asks for the first missing value of a prompt file. */
export function promptDialog(pending: PendingPrompt): Dialog {
  const [variable] = pending.missing;
  const { prompt } = pending;
  const title =
    variable === undefined
      ? `/${prompt.name}: ${prompt.neededText ?? 'text'}`
      : variableTitle(variable, pending);
  if (variable?.choices !== undefined) {
    const { choices, default: usual = '' } = variable;
    const selected = Math.max(0, choices.indexOf(usual));
    const options = choices.map((label) => ({ key: 'value', label }) as const);
    return { type: 'choice', title, choices: options, selected, pending };
  }
  const input = createBuffer();
  return { type: 'entry', asks: 'value', title, input, isHidden: false, address: '', pending };
}
