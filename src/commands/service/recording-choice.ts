import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { GlobalOptions } from '../program/global-options.ts';

/** Whether a run records its exchanges, answers from a recording, or neither. */
export interface RecordingChoice {
  /** File to add to. */
  readonly record?: string;
  readonly replay?: ReplayChoice;
}

export interface ReplayChoice {
  readonly file: string;
  /** Times as fast as recorded; infinity is at once. */
  readonly speed: number;
  /** File in which runs that share the recording note what they used. */
  readonly used?: string;
}

type Asked = Pick<GlobalOptions, 'record' | 'replay' | 'speed'>;

function parseSpeed(text: string, name: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (text === 'max' || speed === 0) return Number.POSITIVE_INFINITY;
  if (speed >= 0.01) return speed;
  throw new Failure('usage', `${name} must be a number from 0.01, or max, not "${text}"`, {
    hint: '1 is as recorded, 10 ten times as fast, max without waiting',
  });
}

function chooseReplay(file: string, { speed }: Asked, environment: Environment): RecordingChoice {
  const used = environment['NATTER_REPLAY_USED'];
  const parsed =
    speed === undefined
      ? parseSpeed(environment['NATTER_REPLAY_SPEED'] || '1', 'NATTER_REPLAY_SPEED')
      : parseSpeed(speed, '--speed');
  return { replay: { file, speed: parsed, ...(used ? { used } : {}) } };
}

function bothAsked(first: string, second: string): Failure {
  return new Failure('usage', `${first} and ${second} exclude each other`, {
    hint: 'a replay sends no requests to record; use only one of them',
  });
}

/**
 * A flag wins over both variables. An empty value is none.
 * @throws Failure `usage` for a choice that makes no sense
 */
export function chooseRecording(asked: Asked, environment: Environment): RecordingChoice {
  const { record, replay, speed } = asked;
  if (record && replay) throw bothAsked('--record', '--replay');
  if (replay) return chooseReplay(replay, asked, environment);
  const replayed = record ? undefined : environment['NATTER_REPLAY'];
  if (speed !== undefined && !replayed) {
    throw new Failure('usage', '--speed needs --replay', {
      hint: 'name the recording: --replay FILE --speed 10',
    });
  }
  if (record) return { record };
  const recorded = environment['NATTER_RECORD'];
  if (recorded && replayed) throw bothAsked('NATTER_RECORD', 'NATTER_REPLAY');
  if (replayed) return chooseReplay(replayed, asked, environment);
  return recorded ? { record: recorded } : {};
}
