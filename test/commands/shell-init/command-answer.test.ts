import { expect, test } from 'vitest';
import { commandOf } from '../../../src/commands/shell-init/run.ts';
import { Failure } from '../../../src/failure.ts';
import { hostileSequences } from '../../../src/sandbox/replies/replies.ts';
import { fc } from '../../support/properties.ts';

test.each([
  ['ls -la', 'ls -la'],
  ['  ls -la\n\n', 'ls -la'],
  ['`ls -la`', 'ls -la'],
  ['$ ls -la', 'ls -la'],
  ['echo $HOME', 'echo $HOME'],
  ['```\nls\n```', 'ls'],
  ['```bash\nls -la\n```\n', 'ls -la'],
  ['Here it is:\n\n```sh\nls -la\n```\nIt lists files.', 'ls -la'],
  ['```sh\nls', 'ls'],
  ['~~~\nls\n~~~', 'ls'],
  ['```sh\na\nb\n```\n```sh\nc\n```', 'a\nb'],
  ['a |\n  b', 'a |\n  b'],
  ['a \\\n  b', 'a \\\n  b'],
  ['for f in *; do\n  echo $f\ndone', 'for f in *; do\n  echo $f\ndone'],
  ['cat <<EOF\nhello\nEOF', 'cat <<EOF\nhello\nEOF'],
  ['a\r\n| b', 'a\n| b'],
  ['a\tb', 'a    b'],
  ['ls\u001B[31m -la\u0007\u0003', 'ls -la'],
  ['ls \u202E-la\u200B', 'ls -la'],
  ['echo "größer 日本"', 'echo "größer 日本"'],
])('the command of %j is %j', (answer, command) => {
  expect(commandOf(answer)).toBe(command);
});

test.each([
  ['', 'it is empty'],
  [' \n\u001B[2K\n', 'it is empty'],
  ['```sh\n```', 'it is empty'],
  ['Sure!\nls', 'it has 2 lines'],
  ['You can use ls.\n\nIt lists files.', 'it has 3 lines'],
  ['a'.repeat(9000), 'it is too long'],
])('%j has no command', (answer, problem) => {
  expect(() => commandOf(answer)).toThrow(`the answer is not a command: ${problem}`);
});

test.each(hostileSequences)('%s does not reach the command line', (_, sequence) => {
  const command = commandOf(`\`\`\`\necho before${sequence}after\n\`\`\``);
  expect(command).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
});

/** The command, or nothing for an answer without one. */
function tryCommandOf(answer: string): string {
  try {
    return commandOf(answer);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'no_answer') return '';
    throw error;
  }
}

test('no answer brings a control character other than a line end', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (answer) => {
      expect(tryCommandOf(answer)).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
    }),
  );
});
