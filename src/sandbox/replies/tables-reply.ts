import type { Reply } from './reply.ts';

const narrow = `# Tables

| Key | Value |
|-----|------:|
| one | 1 |
| two | 22 |
| three | 333 |

`;

const wide = `| Model | Context window | Typical latency | Purpose | Where to use it | What to mind |
|:------|---------------:|:---------------:|---------|-----------------|--------------|
| \`origin\` | 128,000 tokens | 18 ms | fastest, most responsive model | short questions, pipes and scripts in which every millisecond counts | long documents do not fit |
| \`nextgen\` | 1,000,000 tokens | 20 ms | most advanced model | whole books, long conversations, anything that needs the *larger* context | it costs [more](https://example.com/prices) |

`;

const ragged = `| a | b | c |
|---|---|---|
| only one |
| two | of three |
| three | of | three |
| a | cell | too | many |
| an escaped \\| bar | \`code \\| bar\` | **bold *and* italic** |
| | | |

Text right after a table.

| header only | no rows |
|---|---|

`;

function* longTable(): Generator<string, void, undefined> {
  yield '| n | square | cube | in words |\n|---:|---:|---:|---|\n';
  for (let n = 1; n <= 60; n += 1) {
    yield `| ${n} | ${n ** 2} | ${n ** 3} | ${'tally '.repeat(n % 7).trim()} |\n`;
  }
}

/** Tables that fit, tables that do not, and invalid tables. */
export const tablesReply: Reply = function* tabulate() {
  yield narrow;
  yield wide;
  yield ragged;
  yield* longTable();
};
