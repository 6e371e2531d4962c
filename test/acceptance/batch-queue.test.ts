import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBatchPlace, promptLines } from '../support/batch.ts';

/** Puts packages with these versions into the folder; ioredis cannot connect. */
function install(folder: string, versions: Readonly<Record<string, string>>): void {
  const redis = `exports.Redis = class {
    on() {}
    disconnect() {}
    async connect() { throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }); }
  };`;
  for (const [name, version] of Object.entries(versions)) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version }));
    writeFileSync(join(place, 'index.js'), name === 'ioredis' ? redis : '');
  }
}

const packagesOf = (folder: string) => ({ NODE_PATH: join(folder, 'node_modules') });

const queue = ['--queue', 'redis://127.0.0.1:1'];

test.each(['submit p.txt', 'work', 'status', 'collect'])(
  'natter batch %s names the packages that are missing',
  async (words) => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(1));
    const { code, stdout, stderr } = await place.run([...words.split(' '), ...queue]);
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'natter: a queue needs the package bullmq, which is not installed\n' +
        '  npm install --global bullmq ioredis; if natter is not installed globally, also set NODE_PATH="$(npm root --global)"\n',
    });
  },
);

test('packages in the current folder are not loaded', async () => {
  const place = await openBatchPlace();
  install(place.folder, { bullmq: '6.7.0', ioredis: '5.4.1' });
  const { code, stderr } = await place.run(['status', ...queue]);
  expect(code).toBe(3);
  expect(stderr).toContain('bullmq, which is not installed');
});

test('a queue that is not there is one sentence, at once', async () => {
  const place = await openBatchPlace();
  install(place.folder, { bullmq: '6.7.0', ioredis: '5.4.1' });
  // NODE_PATH is read when Node starts.
  const env = packagesOf(place.folder);
  const { code, stderr } = await place.start(['status', ...queue], { env }).result;
  expect({ code, stderr }).toEqual({
    code: 10,
    stderr:
      'natter: cannot connect to the queue at redis://127.0.0.1:1/0: nothing is listening there\n' +
      '  start Redis or Valkey there, or correct the address\n',
  });
});

test('a password in the command line is refused, and printed nowhere', async () => {
  const place = await openBatchPlace();
  install(place.folder, { bullmq: '6.7.0', ioredis: '5.4.1' });
  const words = ['status', '--queue', 'redis://me:pass-word-9876@127.0.0.1:1'];
  const { code, stdout, stderr } = await place.run(words, { env: packagesOf(place.folder) });
  expect(code).toBe(2);
  expect(stderr).toContain('set NATTER_QUEUE to this address instead');
  expect(stdout + stderr).not.toContain('pass-word-9876');
});
