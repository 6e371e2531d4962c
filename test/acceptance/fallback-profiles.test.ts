import { describe, expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { response, streamed } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const failed: Reply = [response(500)];
const answered: Reply = [streamed('ok')];
const noRetries = { NATTER_RETRIES: '0' };

describe('--fallback to a different profile', () => {
  /** Two services, each with a profile and a key. */
  async function twoProfiles(work: readonly Reply[], local: readonly Reply[]) {
    const servers = { work: await serve(work), local: await serve(local) };
    const env = { HOME: temporaryHome(), ...noRetries };
    for (const [name, { url }] of Object.entries(servers)) {
      const words = ['auth', 'login', '--no-check', '--profile', name, '--base-url', url];
      await runInMemory(words, { env, input: `nk-key-of-${name}` });
    }
    await runInMemory(['config', 'set', 'model', 'llama3', '--profile', 'local'], { env });
    await runInMemory(['config', 'set', 'params.top_k', '5', '--profile', 'local'], { env });
    await runInMemory(['config', 'set', 'params.seed', '1', '--profile', 'work'], { env });
    return { ...servers, env };
  }

  test('uses its own address, key and parameters, and never the first key', async () => {
    const { work, local, env } = await twoProfiles([failed], [answered]);
    const words = ['--profile', 'work', '--fallback', 'local:', '--json', 'hi'];
    const { code, stdout } = await runInMemory(words, { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ model: 'llama3', profile: 'local' });
    expect(work.requests[0]?.headers['authorization']).toBe('Bearer nk-key-of-work');
    expect(local.requests[0]?.headers['authorization']).toBe('Bearer nk-key-of-local');
    expect(JSON.parse(local.requests[0]?.body ?? '')).toEqual({
      model: 'llama3',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      top_k: 5,
    });
    expect(local.requests[0]?.text).not.toContain('nk-key-of-work');
  });

  test('never sends the key of the environment', async () => {
    const { local, work, env } = await twoProfiles([failed], [answered]);
    const first = { ...env, NATTER_API_KEY: 'nk-of-environment', NATTER_BASE_URL: work.url };
    await runInMemory(['--fallback', 'local:llama3', 'hi'], { env: first });
    expect(work.requests[0]?.headers['authorization']).toBe('Bearer nk-of-environment');
    expect(local.requests[0]?.headers['authorization']).toBe('Bearer nk-key-of-local');
  });

  test('follows a service that cannot be reached', async () => {
    const { work, local, env } = await twoProfiles([failed], [answered]);
    await work.stop();
    const words = ['--profile', 'work', '--fallback', 'local:llama3', 'hi'];
    const { code, stderr } = await runInMemory(words, { env });
    expect(code).toBe(0);
    expect(local.requests).toHaveLength(1);
    expect(stderr).toContain('natter: warning: origin: cannot reach');
    expect(stderr).toContain('; falling back to local:llama3\n');
  });

  test('that does not exist is refused before anything is sent', async () => {
    const { work, env } = await twoProfiles([answered], []);
    const words = ['--profile', 'work', '--fallback', 'lokal:llama3', 'hi'];
    const { code, stderr } = await runInMemory(words, { env });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'natter: there is no profile lokal for lokal:llama3; the profiles are default, local, work\n' +
        '  a model of that name needs its profile, as in default:lokal:llama3\n',
    );
    const variable = { ...env, NATTER_FALLBACK: 'lokal:llama3' };
    expect((await runInMemory(['--profile', 'work', 'hi'], { env: variable })).code).toBe(3);
    expect(work.requests).toEqual([]);
  });

  test('without a service is refused before anything is sent', async () => {
    const { work, env } = await twoProfiles([answered], []);
    await runInMemory(['config', 'set', 'model', 'x', '--profile', 'empty'], { env });
    const words = ['--profile', 'work', '--fallback', 'empty:x', 'hi'];
    const { code, stderr } = await runInMemory(words, { env });
    expect(code).toBe(3);
    expect(stderr).toBe(
      'natter: the profile empty of --fallback has no service\n  natter auth login --profile empty\n',
    );
    expect(work.requests).toEqual([]);
  });
});
