import type { Reply } from './reply.ts';

const samples: readonly (readonly [language: string, code: string])[] = [
  [
    'ts',
    "export function greet(name: string, times = 1): string {\n  // a template literal, a regular expression\n  return `hello ${name.replace(/\\s+/g, ' ')} `.repeat(times);\n}",
  ],
  [
    'js',
    "const counts = new Map([['a', 1], ['b', 2n]]);\nfor await (const chunk of stream) counts.set(chunk?.id ?? null, 0xff);",
  ],
  [
    'python',
    'from dataclasses import dataclass\n\n@dataclass\nclass Turn:\n    """One turn."""\n    role: str\n    content: str = f"{1 + 1!r}"\n\n    def __len__(self) -> int:\n        return len(self.content)  # characters',
  ],
  [
    'rust',
    "fn longest<'a>(a: &'a str, b: &'a str) -> &'a str {\n    match a.len().cmp(&b.len()) {\n        std::cmp::Ordering::Less => b,\n        _ => a,\n    }\n}",
  ],
  [
    'go',
    'func main() {\n\tdefer fmt.Println("done")\n\tfor i := range 3 {\n\t\tgo func() { ch <- i }()\n\t}\n}',
  ],
  [
    'bash',
    '#!/usr/bin/env bash\nset -euo pipefail\nfor file in "$@"; do\n  grep -c "^#" -- "$file" | sort -n >> counts.txt  # headings\ndone',
  ],
  ['json', '{\n  "model": "origin",\n  "stream": true,\n  "max_tokens": 1e3,\n  "stop": null\n}'],
  ['yaml', 'rules:\n  - when: { model: nextgen }\n    status: 500\n    times: 2 # then success'],
  [
    'sql',
    "SELECT model, count(*) AS answers\nFROM turns\nWHERE role = 'assistant' AND tokens > 100\nGROUP BY model; -- two rows",
  ],
  ['diff', '--- a/greeting.txt\n+++ b/greeting.txt\n@@ -1,2 +1,2 @@\n-hello\n+good day\n world'],
  ['html', '<!doctype html>\n<p class="note">5 &lt; 6 <!-- true --></p>'],
  ['css', '.note > p:hover {\n  color: #c0ffee; /* a colour */\n  margin: 0 1.5rem;\n}'],
  [
    'c',
    '#include <stdio.h>\nint main(void) {\n    printf("%d\\n", sizeof(int) * 2); /* eight */\n    return 0;\n}',
  ],
  ['java', 'record Turn(String role, String content) {\n    static final long MAX = 1_000L;\n}'],
  ['nosuchlanguage', 'a language no highlighter knows\n\twith a tab'],
];

/** A fenced block for each language, and a very long line. */
export const codeReply: Reply = function* write() {
  yield '# Code\n\n';
  for (const [language, code] of samples) {
    yield `In \`${language}\`:\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n`;
  }
  yield `\`\`\`\n${'one very long line '.repeat(30)}\n\`\`\`\n`;
};
