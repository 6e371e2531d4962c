// Builds and packs twice, and compares the bytes: `npm run package:reproducible`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pack } from './pack.js';

function buildAndPack() {
  execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const path = pack();
  const bytes = readFileSync(path);
  const digest = createHash('sha512').update(bytes).digest('hex');
  return { name: basename(path), digest, size: bytes.length };
}

const first = buildAndPack();
const second = buildAndPack();
if (first.digest !== second.digest) throw new Error('two packages of the same source differ');
process.stdout.write(`${first.name}: reproducible, ${first.size} bytes, sha512 ${first.digest}\n`);
