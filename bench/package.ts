import { execFileSync } from 'node:child_process';
import type { Row } from './support/table.ts';

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

/** The size of the package that `npm pack` makes of the built program. */
export function benchPackage(): readonly Row[] {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as readonly Packed[];
  if (packed === undefined) throw new Error('npm pack printed nothing');
  const { size, unpackedSize, entryCount } = packed;
  const values = `${(unpackedSize / 1000).toFixed(0)} kB unpacked, ${entryCount} files`;
  return [
    {
      what: 'npm pack',
      against: '-',
      values,
      ratio: `${(size / 1000).toFixed(0)} kB`,
      target: '900 kB',
    },
  ];
}
