// Builds and packs twice, and compares the bytes: `npm run package:reproducible`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const npm = (...words) => execFileSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'] });

function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'natter-pack-'));
  npm('run', 'build');
  npm('pack', '--ignore-scripts', '--silent', '--pack-destination', folder);
  const [name] = readdirSync(folder);
  const bytes = readFileSync(join(folder, name));
  return { name, digest: createHash('sha512').update(bytes).digest('hex'), size: bytes.length };
}

const first = pack();
const second = pack();
if (first.digest !== second.digest) throw new Error('two packages of the same source differ');
process.stdout.write(`${first.name}: ${first.size} bytes, twice the same: ${first.digest}\n`);
