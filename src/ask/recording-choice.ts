import type { Environment } from '../environment.ts';
import { exclusive, Failure } from '../failure.ts';
import type { GlobalOptions } from '../run.ts';

/** Whether a run records its exchanges, replays a recording, or does neither. */
export type RecordingChoice = ReturnType<typeof chooseRecording>;

function parseSpeed(text: string, name: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (text === 'max' || speed === 0) return Number.POSITIVE_INFINITY;
  if (speed >= 0.01) return speed;
  throw new Failure('usage', `${name} must be at least 0.01, or max, not "${text}"`, {
    hint: '1 is as recorded, 10 ten times as fast, max without waiting',
  });
}

const hint = 'a replay sends no requests to record; use only one of them';

/**
 * Reads the options and variables for recordings. A flag overrides both variables; an empty value counts as unset.
 * @throws Failure `usage` for options that cannot be used together
 */
export function chooseRecording(
  { record, replay, speed }: GlobalOptions,
  environment: Environment,
) {
  if (record && replay) throw exclusive('--record', '--replay', hint);
  const file = replay || (record ? undefined : environment['NATTER_REPLAY']);
  if (speed !== undefined && !file) {
    throw new Failure('usage', '--speed needs --replay', {
      hint: 'name the recording: --replay FILE --speed 10',
    });
  }
  const recorded = record || (replay ? undefined : environment['NATTER_RECORD']);
  if (recorded && file) throw exclusive('NATTER_RECORD', 'NATTER_REPLAY', hint);
  if (recorded || !file) return { record: recorded || undefined };
  const factor =
    speed === undefined
      ? parseSpeed(environment['NATTER_REPLAY_SPEED'] || '1', 'NATTER_REPLAY_SPEED')
      : parseSpeed(speed, '--speed');
  return {
    replay: {
      file,
      /** 1 is as fast as recorded; `Infinity` is without waits. */
      speed: factor,
      /** The file in which runs that share the recording track the exchanges they replayed. */
      used: environment['NATTER_REPLAY_USED'] || undefined,
    },
  };
}
