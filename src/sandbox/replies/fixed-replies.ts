/** Every construct of CommonMark and of the usual extensions, the unclosed ones last. */
export const markdown = `# Heading one

## Heading two

### Heading three

#### Heading four

##### Heading five

###### Heading six

Setext heading one
==================

Setext heading two
------------------

A paragraph with *emphasis*, _emphasis_, **strong**, __strong__, ***both***, ~~struck~~, \`code\`, and
\`\` code with a \` backtick \`\`. A soft line break above, a hard one after this  
and another after this\\
and here the paragraph ends. snake_case_words and 2 * 3 * 4 stay plain.

Links: [inline](https://example.com/a?b=c&d=e "title"), [reference][one], [one], <https://example.com/auto>,
https://example.com/bare, <someone@example.com>. An image: ![a picture](https://example.com/picture.png).

[one]: https://example.com/reference 'Reference'

Escapes: \\*not emphasis\\*, \\\`not code\\\`, \\# not a heading. Entities: &amp; &lt;tag&gt; &copy; &#x263A;.
Inline HTML: <b>bold</b> and <br> and a comment <!-- hidden -->.

- first
- second
  - nested
    - deeper
  - nested again

    with a paragraph of its own
- third
+ another list
* and another

1. one
2. two
   1. two, one
   2. two, two
3. three

7) starts at seven
8) continues

- [x] done
- [ ] to do

> A quotation
> of two lines
>
> > nested
>
> - with a list
> - and \`code\`

---

***

    indented code
      keeps its spaces

\`\`\`
a fence without a language
  <b>&amp; nothing in it *counts*
\`\`\`

\`\`\`ts
const answer: number = 42; // a fence with a language
\`\`\`

~~~~markdown
\`\`\`
a fence in a fence
\`\`\`
~~~~

| Left | Centre | Right |
|:-----|:------:|------:|
| a | b | 1 |
| **bold** | \`code\` | 1,000 |

<details>
<summary>An HTML block</summary>

with *Markdown* inside

</details>

Unclosed things: **strong without an end, \`code without an end, [a link without an end](https://example.com

\`\`\`js
the last fence is never closed
`;

const codeSamples: readonly (readonly [language: string, code: string])[] = [
  [
    'ts',
    "export function greet(name: string, times = 1): string {\n  // a template literal, a regular expression\n  return `hello ${name.replace(/\\s+/g, ' ')} `.repeat(times);\n}",
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
    'bash',
    '#!/usr/bin/env bash\nset -euo pipefail\nfor file in "$@"; do\n  grep -c "^#" -- "$file" | sort -n >> counts.txt  # headings\ndone',
  ],
  ['json', '{\n  "model": "origin",\n  "stream": true,\n  "max_tokens": 1e3,\n  "stop": null\n}'],
  ['yaml', 'rules:\n  - when: { model: nextgen }\n    status: 500\n    times: 2 # then success'],
  ['diff', '--- a/greeting.txt\n+++ b/greeting.txt\n@@ -1,2 +1,2 @@\n-hello\n+good day\n world'],
  ['nosuchlanguage', 'a language no highlighter knows\n\twith a tab'],
];

/** Writes a fenced block for each language, and a very long line. */
export function writeCode(): string {
  const blocks = codeSamples.map(
    ([language, code]) => `In \`${language}\`:\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n`,
  );
  return `# Code\n\n${blocks.join('')}\`\`\`\n${'one very long line '.repeat(30)}\n\`\`\`\n`;
}

/** Tables that fit, tables that do not, and invalid tables. */
const tables = `# Tables

| Key | Value |
|-----|------:|
| one | 1 |
| two | 22 |
| three | 333 |

| Model | Context window | Typical latency | Purpose | Where to use it | What to mind |
|:------|---------------:|:---------------:|---------|-----------------|--------------|
| \`origin\` | 128,000 tokens | 18 ms | fastest, most responsive model | short questions, pipes and scripts in which every millisecond counts | long documents do not fit |
| \`nextgen\` | 1,000,000 tokens | 20 ms | most advanced model | whole books, long conversations, anything that needs the *larger* context | it costs [more](https://example.com/prices) |

| a | b | c |
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

/** Writes the tables, and one that is longer than a screen. */
export function writeTables(): string {
  const rows = Array.from({ length: 60 }, (_, index) => {
    const n = index + 1;
    return `| ${n} | ${n ** 2} | ${n ** 3} | ${'tally '.repeat(n % 7).trim()} |\n`;
  });
  return `${tables}| n | square | cube | in words |\n|---:|---:|---:|---|\n${rows.join('')}`;
}

/** Text that is hard to measure, split and order. */
export const unicode = `# 文字 · текст · κείμενο

- 中文：今天天气很好，我们去散步吧。
- 日本語：吾輩は猫である。名前はまだ無い。ﾊﾝｶｸ
- 한국어: 오늘은 날씨가 좋습니다. 각 (각)
- Ελληνικά: ξεσκεπάζω την ψυχοφθόρα βδελυγμία
- العربية: اللغة العربية جميلة، والرقم ١٢٣.
- עברית: שלום עולם, המספר 123.
- हिन्दी: नमस्ते दुनिया, क्षत्रिय
- Emoji: 😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇳🇴 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ ☎︎ 1️⃣ 🧑‍🚀
- Astral: 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎𠜱 𐍈
- Combining: Z̷̧a̷̛l̴̢g̶̛ǫ, e\u0301 and é
- Width: ｆｕｌｌ ﾊﾝ ①②③ …—“”

| 言語 | 例 | emoji |
| --- | --- | --- |
| 中文 | 你好，世界 | 🐉 |
| العربية | مرحبا بالعالم | 🐪 |
`;
