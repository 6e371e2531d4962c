// The failure of a clone, or of a package made from one, without the built files in dist.
const { existsSync } = require('node:fs');
const { dirname, join } = require('node:path');

const configurationExitCode = 3;

/** Reports that natter is not built; false if it is. */
function reportMissingBuild() {
  const folder = dirname(__dirname);
  if (existsSync(join(folder, 'dist', 'main.cjs'))) return false;
  const isClone = existsSync(join(folder, 'package-lock.json'));
  const line = isClone
    ? `natter is not built: run npm ci in ${folder}`
    : `natter is incomplete: install it again (no built files in ${folder})`;
  process.exitCode = configurationExitCode;
  process.stderr.write(`${line}\n`);
  return true;
}

module.exports = { reportMissingBuild };
