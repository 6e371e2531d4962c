import { Failure } from '../failure.ts';

const defaults = {
  retries: 4,
  retryWaitLimit: 60_000,
  connectTimeout: 10_000,
  firstByteTimeout: 600_000,
  idleTimeout: 300_000,
  totalTimeout: 0,
};

/** The limits of a client, in the units of `ClientOptions`. */
export type Limits = Readonly<typeof defaults>;

type LimitName = keyof Limits;

function isLimit(value: unknown, name: LimitName): boolean {
  if (typeof value !== 'number' || !(value >= 0)) return false;
  return name !== 'retries' || value === Infinity || Number.isInteger(value);
}

/**
 * The limits that `options` set, with the defaults of the others.
 * @throws Failure `configuration` for a limit that is negative, no number, or `NaN`
 */
export function readLimits(options: Partial<Limits>): Limits {
  const limits = { ...defaults };
  for (const name of Object.keys(defaults) as LimitName[]) {
    const value = options[name] ?? defaults[name];
    if (!isLimit(value, name)) {
      const expected = name === 'retries' ? 'a whole number' : 'a number of milliseconds';
      throw new Failure(
        'configuration',
        `${name} is ${value}, which is not ${expected} from 0 up`,
        {
          remedy: { code: 'correct-limit', option: name },
        },
      );
    }
    limits[name] = value;
  }
  return limits;
}
