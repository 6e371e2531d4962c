// Queries the npm registry for known vulnerabilities in the packages natter is built from: `npm run audit`. A registry
// without audits, like many mirrors, or out of reach, is reported and is not a failure.
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--json', '--fetch-retries=0'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const answer = JSON.parse(stdout === '' ? '{}' : stdout);
const found = Object.values(answer.vulnerabilities ?? {});
if (answer.metadata?.vulnerabilities === undefined) {
  const reason = answer.error?.summary || answer.message || 'npm gave no answer';
  process.stdout.write(`not audited: ${reason}\n`);
} else if (found.length > 0) {
  const lines = found.map(({ name, severity, range }) => `  ${name} ${range}: ${severity}\n`);
  throw new Error(`known vulnerabilities:\n${lines.join('')}`);
} else process.stdout.write('no known vulnerabilities\n');
