import { describe, expect, test } from 'vitest';
import { queueAddress } from '../../../src/batch/queue/connect.ts';
import { cleanLine, createSecrets } from '../../../src/secrets/secrets.ts';

const password = 'p%40ss-word-1234';

function addressOf(option: string | undefined, variable?: string) {
  const environment = variable === undefined ? {} : { NATTER_QUEUE: variable };
  return queueAddress(option, { environment, secrets: createSecrets({}) });
}

describe('the address of a queue', () => {
  test.each([
    ['redis://localhost', { host: 'localhost', port: 6379, database: 0, isEncrypted: false }],
    ['redis://10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000, database: 3 }],
    ['rediss://cache.test:6380/', { host: 'cache.test', port: 6380, isEncrypted: true }],
    ['redis://[::1]:6379', { host: '::1', label: 'redis://[::1]:6379/0' }],
  ])('is read from %s', (text, expected) => {
    expect(addressOf(text)).toMatchObject(expected);
    expect(addressOf(undefined, text)).toMatchObject(expected);
  });

  test('of the option takes precedence over the variable', () => {
    expect(addressOf('redis://one', 'redis://two')).toMatchObject({ host: 'one' });
  });

  test('has the user name and password of the variable, and a label without them', () => {
    expect(addressOf(undefined, `redis://me:${password}@cache.test/1`)).toMatchObject({
      username: 'me',
      password: 'p@ss-word-1234',
      label: 'redis://cache.test:6379/1',
    });
  });

  test.each(['http://x', 'localhost:6379', 'redis://', 'redis://h/x', 'redis://h/0?a=1', ''])(
    'is refused if it is "%s"',
    (text) => {
      expect(() => addressOf(text)).toThrow(expect.objectContaining({ kind: 'usage' }) as Error);
    },
  );

  test('must be an address in the variable, too', () => {
    expect(() => addressOf(undefined, 'nonsense')).toThrow(
      expect.objectContaining({ kind: 'configuration' }) as Error,
    );
  });

  test('is required', () => {
    expect(() => addressOf(undefined)).toThrow('no queue is named');
  });
});

describe('a password', () => {
  test.each([`redis://:${password}@h`, `redis://me:${password}@h`, `x:${password}@h`])(
    'in the option %s is refused, and not shown',
    (text) => {
      const secrets = createSecrets({});
      let message = '';
      try {
        queueAddress(text, { environment: {}, secrets });
      } catch (error) {
        message = `${String(error)} ${(error as { hint: string }).hint}`;
      }
      expect(message).toContain('NATTER_QUEUE');
      expect(message).not.toContain('ss-word');
      expect(cleanLine({ secrets }, `it is ${password}`)).toBe('it is ***');
    },
  );

  test('in the variable is masked in messages', () => {
    const secrets = createSecrets({});
    const environment = { NATTER_QUEUE: `redis://me:${password}@h` };
    queueAddress(undefined, { environment, secrets });
    expect(cleanLine({ secrets }, 'p@ss-word-1234')).toBe('***');
  });

  test('with an invalid escape is refused, and not shown', () => {
    expect(() => addressOf(undefined, 'redis://me:50%off-today@h')).toThrow(
      /^NATTER_QUEUE must be an address such as (?!.*off-today)/,
    );
  });
});
