import type { Environment } from '../environment.ts';
import { Failure } from '../failure.ts';
import type { GlobalOptions } from '../run.ts';

/** Whether a run records its exchanges, replays a recording, or does neither. */
export interface RecordingChoice {
  /** The file to append to. */
  readonly record?: string;
  readonly replay?: {
    readonly file: string;
    /** 1 is as fast as recorded; `Infinity` is without waits. */
    readonly speed: number;
    /** The file in which runs that share the recording track the exchanges they replayed. */
    readonly used?: string;
  };
}

function parseSpeed(text: string, name: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (text === 'max' || speed === 0) return Number.POSITIVE_INFINITY;
  if (speed >= 0.01) return speed;
  const hint = '1 is as recorded, 10 ten times as fast, max without waiting';
  throw new Failure('usage', `${name} must be at least 0.01, or max, not "${text}"`, { hint });
}

function exclusive(first: string, second: string): Failure {
  const hint = 'a replay sends no requests to record; use only one of them';
  return new Failure('usage', `${first} and ${second} cannot be used together`, { hint });
}

/**
 * Reads the options and variables for recordings. A flag overrides both variables; an empty value counts as unset.
 * @throws Failure `usage` for options that cannot be used together
 */
export function chooseRecording(
  { record, replay, speed }: GlobalOptions,
  environment: Environment,
): RecordingChoice {
  if (record && replay) throw exclusive('--record', '--replay');
  const file = replay || (record ? undefined : environment['NATTER_REPLAY']);
  if (speed !== undefined && !file) {
    const hint = 'name the recording: --replay FILE --speed 10';
    throw new Failure('usage', '--speed needs --replay', { hint });
  }
  const recorded = record || (replay ? undefined : environment['NATTER_RECORD']);
  if (recorded && file) throw exclusive('NATTER_RECORD', 'NATTER_REPLAY');
  if (recorded) return { record: recorded };
  if (!file) return {};
  const factor =
    speed === undefined
      ? parseSpeed(environment['NATTER_REPLAY_SPEED'] || '1', 'NATTER_REPLAY_SPEED')
      : parseSpeed(speed, '--speed');
  const used = environment['NATTER_REPLAY_USED'];
  return { replay: { file, speed: factor, ...(used ? { used } : {}) } };
}
