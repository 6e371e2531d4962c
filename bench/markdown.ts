import { lexer } from 'marked';
import { createMarkdownStream } from '../src/terminal/markdown/markdown-stream.ts';
import { createChalkStyle } from '../src/terminal/chalk-style.ts';
import type { Bench } from './support/bench.ts';
import { median, type Row } from './support/table.ts';

const section = `## Light and air

The sky is **blue** because *air* scatters short waves more than long ones; see [Rayleigh](https://example.com/r).
The \`intensity\` grows with the fourth power of the frequency, and ~~not~~ with the wind.

- Red light passes almost undisturbed,
  - which is why the sun sets red;
- violet is scattered most, but there is less of it.

> A quotation of two lines, with **strong** words
> and a second line.

| colour | wave length | scattered |
| ------ | ----------: | --------- |
| red    | 700 nm      | little    |
| blue   | 450 nm      | much      |

1. First measure,
2. then cut.

\`\`\`
intensity = constant / wave ** 4
\`\`\`

`;

const copies = 1500;
const document = section.repeat(copies);
/** About the text of one network read. */
const pieceSize = 48;

async function render(): Promise<void> {
  const style = createChalkStyle();
  const stream = createMarkdownStream({ style, width: () => 80, hyperlinks: true, unicode: true });
  for (let start = 0; start < document.length; start += pieceSize) {
    await stream.write(document.slice(start, start + pieceSize));
  }
  await stream.end();
}

async function milliseconds(action: () => unknown): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Runs in this process, where both are compiled: the benchmark is for long answers, not for the start. */
export async function benchMarkdown({ turns }: Bench): Promise<readonly Row[]> {
  const ratios: number[] = [];
  const speeds = { stream: [] as number[], lexer: [] as number[] };
  const megabytes = document.length / 1e6;
  for (let turn = -1; turn < turns; turn += 1) {
    const stream = await milliseconds(render);
    const once = await milliseconds(() => lexer(document));
    if (turn < 0) continue;
    ratios.push(once / stream);
    speeds.stream.push(megabytes / (stream / 1000));
    speeds.lexer.push(megabytes / (once / 1000));
  }
  const show = (speed: readonly number[]) => median(speed).toFixed(1);
  const values = `${show(speeds.stream)} against ${show(speeds.lexer)} MB/s`;
  const what = 'Markdown stream, speed';
  return [
    {
      what,
      against: 'marked.lexer once',
      values,
      ratio: median(ratios).toFixed(2),
      target: '>= 0.5',
    },
  ];
}
