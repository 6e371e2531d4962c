// Asks the npm registry for known weaknesses of what natter is built from: `npm run audit`. A registry that does not
// answer, as many mirrors, is told and is no failure.
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--json', '--fetch-retries=0'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const answer = JSON.parse(stdout === '' ? '{}' : stdout);
const found = Object.values(answer.vulnerabilities ?? {});
if (answer.metadata?.vulnerabilities === undefined) {
  process.stdout.write('not audited: the npm registry does not answer audits\n');
} else if (found.length > 0) {
  const lines = found.map(({ name, severity, range }) => `  ${name} ${range}: ${severity}\n`);
  throw new Error(`known weaknesses:\n${lines.join('')}`);
} else process.stdout.write('no known weaknesses\n');
