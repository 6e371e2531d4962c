import type { FailureText } from './action.ts';
import {
  serversDialog,
  type Dialog,
  addressDialog,
  keyDialog,
  keyHint,
  type FoundServer,
} from './dialog.ts';
import { failureText, runActivity, type Session } from './session.ts';
import type { ReplState, ServiceFacts, Step } from './state.ts';
import { step, printNotice, refuse } from './step.ts';

interface Target {
  readonly address: string;
  /** Undefined for a service that needs none. */
  readonly key: string | undefined;
  readonly model?: string | undefined;
}

export function connect(session: Session, { address, key, model }: Target): Promise<void> {
  return runActivity(session, async (signal) => {
    try {
      const service = await session.service.connect(address, key, signal);
      session.update((state) => onConnected(state, service, model));
    } catch (error) {
      if (signal.aborted) throw error;
      const failure = failureText(error, session.context);
      session.update((state) => onConnectionFailed(state, failure, { address, key }));
    }
    return [];
  });
}

export function findServers(session: Session): Promise<void> {
  return runActivity(session, async (signal) => {
    const servers = await session.service.findServers(signal);
    session.update((state) => onServersFound(state, servers));
    return [];
  });
}

/** The dialog that started the current activity. */
function answeredDialog({ activity }: ReplState): Dialog | undefined {
  return activity?.type === 'task' ? activity.dialog : undefined;
}

export function onServersFound(state: ReplState, servers: readonly FoundServer[]): Step {
  return step({ ...state, dialog: serversDialog(servers, answeredDialog(state)) });
}

function onConnected(state: ReplState, service: ServiceFacts, model: string | undefined): Step {
  const settings = model === undefined ? state.settings : { ...state.settings, model };
  return printNotice({ ...state, service, settings }, `the service is now ${service.address}`);
}

/** Asks again for the key if that was wrong, else for the address. */
export function onConnectionFailed(
  state: ReplState,
  failure: FailureText,
  { address, key }: Target,
): Step {
  const isKey = failure.kind === 'unauthorized';
  const answered = answeredDialog(state);
  const isKeyDialog = answered?.type === 'entry' && answered.asks === 'key';
  const previous = isKeyDialog ? answered.previous : answered;
  const addressEntry = previous?.type === 'entry' ? previous : addressDialog(previous, address);
  const dialog = isKey ? keyDialog(address, previous) : addressEntry;
  const hint = isKey ? keyHint(key !== undefined) : failure.hint;
  return refuse({ ...state, dialog }, failure.message, hint);
}
