import { alternate } from './support/alternate.ts';
import { natter, node, type Bench } from './support/bench.ts';
import { compare, type Row } from './support/table.ts';

const commands = [
  { words: ['--version'], target: '1.3' },
  { words: ['--help'], target: '1.6' },
  // The command that a shell runs to complete a model.
  { words: ['__complete', '--model', '='], target: '1.6' },
] as const;

export async function benchStartUp({ run, turns }: Bench): Promise<readonly Row[]> {
  const programs = commands.map(({ words }) => natter(words));
  const [bare = [], ...samples] = await alternate(run, [node, ...programs], turns);
  return commands.map(({ words, target }, index) => ({
    what: `natter ${words.join(' ')}, whole run`,
    against: node.name,
    ...compare(samples[index] ?? [], bare, 'wall'),
    target,
  }));
}
