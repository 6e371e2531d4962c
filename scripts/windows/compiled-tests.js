// Runs tests of the suite with Node for Windows, under Wine.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { windowsPath } from './wine.js';

/** Vitest starts only if rolldown does. Its native build needs a newer Wine; the WebAssembly one runs everywhere. */
const { version } = JSON.parse(readFileSync('node_modules/rolldown/package.json', 'utf8'));
export const bundlerPackage = `@rolldown/binding-wasm32-wasi@${version}`;

const configuration = {
  include: ['test/**/*.test.js'],
  maxWorkers: 2,
  // A worker for each file costs two seconds under Wine.
  pool: 'threads',
  isolate: false,
  testTimeout: 90_000,
  hookTimeout: 90_000,
  expect: { poll: { timeout: 30_000 } },
  // Node imports the compiled tests itself: the WebAssembly build of rolldown cannot resolve paths of Windows.
  experimental: { viteModuleRunner: false },
};

/** Compiles sources and tests into a folder, in which Vitest needs no compiler. */
export function compileTests(folder) {
  mkdirSync(folder);
  const options = ['--noEmit', 'false', '--rewriteRelativeImportExtensions', '--outDir', folder];
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], {
    stdio: 'inherit',
  });
  const isFixture = (path) => !/\.tsx?$/.test(path);
  cpSync('test', join(folder, 'test'), { recursive: true, filter: isFixture });
  for (const name of ['bin', 'dist', 'docs']) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const text = `export default { test: ${JSON.stringify(configuration)} };\n`;
  writeFileSync(join(folder, 'windows.config.mjs'), text);
}

/**
 * @param files paths in `test`, as in the scripts of package.json
 * @param modules the folder of modules that has the package of the bundler
 */
export function runTests({ wine, node, folder, modules }, files, timeout) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'windows.config.mjs'];
  const options = ['--configLoader', 'native', '--reporter=dot'];
  const compiled = files.map((file) => file.replace(/\.tsx?$/, '.js'));
  return wine.run([windowsPath(node), ...vitest, ...options, ...compiled], {
    cwd: folder,
    timeout,
    env: {
      NODE_PATH: windowsPath(modules),
      NAPI_RS_FORCE_WASI: '1',
      NODE_NO_WARNINGS: '1',
      NO_COLOR: '1',
    },
  });
}
