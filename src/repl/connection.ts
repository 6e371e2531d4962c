import { Failure } from '../failure.ts';
import { definitions } from '../settings/definitions.ts';
import { noticeOverrides } from '../settings/read-settings.ts';
import { parseValue } from '../settings/setting-value.ts';
import type { Dialog, DialogChoice, ReplState, ServiceFacts, Update } from './state.ts';
import { neededKeyOf } from './composer/keys/key-bindings.ts';
import { currentPath, isAnswered, lastPrompt } from './conversations/position.ts';
import type { FoundServer } from './service.ts';
import { failureText, type Session } from './session.ts';
import { cancelHint, step, printNotice, refuse, startActivity } from './step.ts';

interface Target {
  readonly address: string;
  /** Undefined for a service that needs none. */
  readonly key: string | undefined;
  readonly model?: string | undefined;
  /** The dialog to go back to. */
  readonly previous?: Dialog | undefined;
}

/** The key that sends a prompt again that is in the composer, else the command that repeats the last one. */
export function resendKey({ isLineMode, composer, restoredText, keyMap }: ReplState): string {
  const isRestored = !isLineMode && composer.text === restoredText;
  return isRestored ? neededKeyOf('send', keyMap) : '/retry';
}

/**
 * Connects, and says what is used now, whether it is stored, and how the refused prompt is sent again. If that fails, it
 * asks again for the key if that was wrong, else for the address.
 */
export async function connect(session: Session, target: Target, signal: AbortSignal) {
  const { address, key, model, previous } = target;
  try {
    const { service, isStored } = await session.service.connect(address, key, signal);
    if (isStored) noticeOverrides(session, { baseUrl: service.address, apiKey: key });
    session.update((state) => {
      const isSame = address === state.service.address;
      const used =
        key === undefined ? 'no key is sent from now on' : 'the key that you entered is used now';
      const own = service.isSandbox ? 'the sandbox keeps its key' : 'the recording accepts any key';
      const said = isStored ? used : own;
      const parts = [isSame ? said : `the service is now ${service.address}`];
      parts.push(isStored ? 'stored in your settings' : 'nothing is stored');
      const pair = isSame ? lastPrompt(currentPath(state)) : undefined;
      if (pair !== undefined && !isAnswered(pair))
        parts.push(`${resendKey(state)} sends the prompt again`);
      const settings = { ...state.settings, model: model ?? state.settings.model };
      return printNotice({ ...state, service, settings }, parts.join('; '));
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const { kind, message, hint } = failureText(error, session.context);
    session.update((state) => {
      const { service } = state;
      if (kind === 'unauthorized') {
        const dialog = keyDialog(service, address, previous);
        return refuse({ ...state, dialog }, message, keyHint(key !== undefined));
      }
      const isEntry = previous?.type === 'entry';
      const dialog = isEntry ? previous : addressDialog(service, previous, address);
      return refuse({ ...state, dialog }, message, hint);
    });
  }
  return [];
}

export async function findServers(session: Session, _input: undefined, signal: AbortSignal) {
  const servers = await session.service.findServers(signal);
  session.update((state) => {
    const { activity, service } = state;
    const asking = activity?.type === 'task' ? activity.dialog : undefined;
    return step({ ...state, dialog: serversDialog(service, servers, asking) });
  });
  return [];
}

function useSandbox(state: ReplState): Update {
  const text = 'using the sandbox; natter auth login connects to a service later';
  return printNotice({ ...state, dialog: undefined }, text);
}

const stayingWithSandbox = { cancel: useSandbox, cancels: 'uses the sandbox' };

/** Goes back to the dialog before, or stays with the service in use. */
function cancelling({ isSandbox }: ServiceFacts, previous: Dialog | undefined) {
  if (previous === undefined && isSandbox) return stayingWithSandbox;
  const back = (state: ReplState) => ({ ...state, dialog: previous });
  const noKey = 'no key was entered; natter auth login stores one';
  return previous === undefined
    ? { cancel: (state: ReplState) => printNotice(back(state), noKey) }
    : { cancel: (state: ReplState) => step(back(state)), cancels: 'goes back' };
}

const connecting = (state: ReplState, target: Target) =>
  startActivity(state, 'connecting', connect, target);

/** What to do after the service refused a request without a valid key. */
export const keyHint = (hasKey: boolean) =>
  hasKey ? 'enter a different key here' : 'enter a key here';

export function keyDialog(service: ServiceFacts, address: string, previous?: Dialog): Dialog {
  return {
    type: 'entry',
    label: 'API key',
    title: `API key for ${address} (not shown; empty for none)`,
    text: '',
    isHidden: true,
    enter: (state, key) =>
      connecting(state, { address, key: key === '' ? undefined : key, previous }),
    ...cancelling(service, previous),
  };
}

export function addressDialog(service: ServiceFacts, previous?: Dialog, text = ''): Dialog {
  const dialog: Dialog = {
    type: 'entry',
    label: 'base URL',
    title: 'base URL of the service, such as https://api.example.com',
    text,
    enter(state, typed) {
      try {
        const origin = { label: 'the base URL', kind: 'usage' } as const;
        const address = parseValue(definitions.baseUrl.type, typed, origin);
        const answered = { ...dialog, text: address };
        return step({ ...state, dialog: keyDialog(service, address, answered) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return refuse(state, error.message, cancelHint(state, dialog));
      }
    },
    ...cancelling(service, previous),
  };
  return dialog;
}

/** Leads back to the dialog that offers it. */
const connectChoice: DialogChoice = {
  label: 'connect to a service (URL and API key)',
  choose: (state) => step({ ...state, dialog: addressDialog(state.service, state.dialog) }),
};

const sandboxChoice: DialogChoice = {
  label: 'use the sandbox: no key needed, nothing leaves this machine',
  choose: useSandbox,
};

/** Shown at the start when no service is configured, so the sandbox is in use. */
export const firstRunDialog: Dialog = {
  type: 'choice',
  title: 'no service is configured yet',
  choices: [
    connectChoice,
    {
      label: 'look for a server on this machine (llama.cpp, Ollama, vLLM, LM Studio)',
      choose: (state) => startActivity(state, 'looking for servers', findServers, undefined),
    },
    sandboxChoice,
  ],
  takesPrompt: useSandbox,
  ...stayingWithSandbox,
};

export function serversDialog(
  service: ServiceFacts,
  servers: readonly FoundServer[],
  previous?: Dialog,
): Dialog {
  const found = servers.map(({ name, url, models }): DialogChoice => {
    const [model] = models;
    const offer = model === undefined ? 'no models listed' : models.slice(0, 3).join(', ');
    const target = { address: url, key: undefined, model };
    return {
      label: `use ${name} at ${url} (${offer})`,
      choose: (state) => connecting(state, { ...target, previous: state.dialog }),
    };
  });
  return {
    type: 'choice',
    title: servers.length === 0 ? 'no server was found on this machine' : 'found on this machine',
    choices: [...found, connectChoice, sandboxChoice],
    takesPrompt: useSandbox,
    ...cancelling(service, previous),
  };
}
