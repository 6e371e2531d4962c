import { execFile } from 'node:child_process';
import { chmodSync, cpSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { folderOf, writeFiles } from './folder.ts';
import { codeBlock } from './guide-blocks.ts';
import { openFileSandbox } from './held-sandbox.ts';
import { binary, cleanEnvironment } from './natter.ts';

interface ExampleResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const node = `exec "${process.execPath}"`;
const copyInput = `${node} -e 'process.stdin.pipe(process.stdout)'`;

/** Prints a field of each JSON value, such as `.error.kind`; with any other expression, the input. No single quotes. */
const selectField = `const { readFileSync } = require("fs");
const words = process.argv.slice(1);
const text = readFileSync(words.find((word) => /[.]jsonl?$/.test(word) && !/^[.]/.test(word)) ?? 0, "utf8");
const path = words.find((word) => /^([.][a-z_0-9]+)+$/.test(word));
const parse = () => { try { return [JSON.parse(text)]; } catch { return text.trim().split("\\n").map((line) => JSON.parse(line)); } };
const get = (value) => path.slice(1).split(".").reduce((inner, name) => inner?.[name] ?? null, value);
const show = (value) => (typeof value === "string" ? value : JSON.stringify(value)) + "\\n";
process.stdout.write(path === undefined ? text : parse().map((value) => show(get(value))).join(""));`;

/** natter, and replacements for programs that a machine may not have. */
const tools: Readonly<Record<string, string>> = {
  natter: `${node} "${binary}" "$@"`,
  git: 'echo "one line of a diff"',
  npm: 'echo "npm $*"',
  llm: `echo '[{"id":"1","prompt":"why?","response":"because","model":"m"}]'`,
  jq: `${node} -e '${selectField}' -- "$@"`,
  // Runs the words before ::: once for each word after it, in place of {}.
  parallel: `case $1 in --retries | -j) shift 2 ;; esac; command=; while [ "$1" != ::: ]; do command="$command $1"; shift; done; shift
for word; do sh -c "$(echo "$command" | sed "s/{}/$word/g")" || exit; done`,
  'Out-String': copyInput,
  'Invoke-Expression': copyInput,
};

/** Files for the examples. */
const files: Readonly<Record<string, string>> = {
  'README.md': '# A project\n',
  'main.ts': 'export const sum = (a: number, b: number) => a + b;\n',
  'review.md': 'Review this {{lang}} code.\n',
  '.natter/prompts/review.md': codeBlock('docs/prompts.md', '---'),
  'patterns/summarize/system.md': 'You summarize.\n',
  'brief.yaml': 'system: Be brief.\nprompt: "Shorten: $input"\n',
  '.claude/commands/fix-issue.md': 'Fix issue $1.\n',
  '.natter/prompts/commit.md': 'Write a commit message.\n',
  'notes.md': 'Notes.\n',
  'plan.md': 'A plan.\n',
  'question.txt': 'Why is the sky blue?\n',
  'prompts.txt': 'Why is the sky blue?\nAnd at sunset?\n',
  'prompts.jsonl': '{"id":"sky","prompt":"why is the sky blue?"}\n',
  'output.jsonl':
    '{"id":"batch_req_1","custom_id":"sky","response":{"status_code":200,"request_id":"req_1","body":{"choices":[{"index":0,"message":{"role":"assistant","content":"Rayleigh."},"finish_reason":"stop"}]}},"error":null}\n',
  'errors.jsonl': '',
  'reviews.csv': 'id,text\n1,"Good, all in all."\n',
  'conversations.json':
    '[{"uuid":"1","name":"Tea","chat_messages":[{"sender":"human","text":"why tea?"}]}]',
  'key.txt': sandboxKey,
  'faults.json': '{"rules":[]}',
  'summarise.sh': codeBlock('docs/sandbox.md', 'natter --no-stdin'),
  'busy.jsonl': codeBlock('docs/sandbox.md', '{"format"'),
};

/** Command lines run before the examples. */
const past = [
  'natter config set model nextgen --profile work',
  'natter config set model llama3 --profile local',
  'natter "which rate limit timed out at sunset?"',
  'natter "why is the sky blue?"',
  'natter conversations delete latest',
  'natter --record tape.jsonl "why is the sky blue?"',
  'NATTER_RECORD=tape.jsonl sh summarise.sh',
  'natter "[sandbox code]"',
  'natter -c "[sandbox code]"',
  'natter batch prompts.txt -o answers.jsonl',
  'natter batch prompts.txt --shard 1/1 -o piece-0.jsonl',
];

function prepareTools(): string {
  const folder = folderOf();
  for (const [name, command] of Object.entries(tools)) {
    writeFiles(folder, { [name]: `#!/bin/sh\n${command}\n` });
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const isServer = (line: string) => /^natter sandbox(?! --help)/.test(line);

function finish(
  line: string,
  home: string,
  env: NodeJS.ProcessEnv,
  program = '/bin/sh',
): Promise<ExampleResult> {
  // The signal that ends a server must reach natter, not the shell.
  const script = isServer(line) ? `exec ${line}` : line;
  const running = promisify(execFile)(program, ['-c', script], { env, cwd: home });
  const { child } = running;
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(line.includes('auth login') ? sandboxKey : '');
  if (isServer(line)) child.stderr?.once('data', () => child.kill('SIGINT'));
  return running.then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => {
      const { code, signal, stdout, stderr } = error as ExampleResult & { signal?: string };
      return { code: isServer(line) && signal === 'SIGINT' ? 0 : code, stdout, stderr };
    },
  );
}

/** Runs each example in a copy of a home folder in which natter has been used; open until the end of the test file. */
export async function openExampleShell() {
  const sandbox = await openFileSandbox();
  const path = prepareTools();
  const shells = { '.bashrc': '', '.zshrc': '' };
  const fish = { '.config/fish/completions/none': '', '.config/fish/conf.d/none': '' };
  const seed = folderOf({ ...files, ...shells, ...fish });
  const environment = (home: string) => {
    const env = cleanEnvironment({
      NATTER_BASE_URL: sandbox.url,
      NATTER_API_KEY: sandboxKey,
      NATTER_UPSTREAM_API_KEY: sandboxKey,
    });
    return { ...env, HOME: home, PATH: [path, env['PATH']].join(delimiter) };
  };
  const gateway = `natter config set base-url ${sandbox.url} --profile gateway`;
  for (const line of [...past, gateway]) await finish(line, seed, environment(seed));
  return {
    /** The URL of the sandbox that is the service. */
    serviceUrl: sandbox.url,
    /** `program` is the shell that runs the line, `/bin/sh` by default. */
    async run(example: string, program?: string): Promise<ExampleResult> {
      // The addresses in examples do not exist, and a port may be in use.
      const line = example
        .replaceAll('https://api.example.com', sandbox.url)
        .replace(/--port \d+/, '--port 0');
      const home = folderOf();
      cpSync(seed, home, { recursive: true, preserveTimestamps: true });
      const result = await finish(line, home, environment(home), program);
      const shown = (text: string) =>
        text
          .replaceAll(home, '/home/me')
          .replaceAll(sandbox.url, 'https://api.example.com')
          .replaceAll(new URL(sandbox.url).host, 'api.example.com:443');
      return { ...result, stdout: shown(result.stdout), stderr: shown(result.stderr) };
    },
  };
}
