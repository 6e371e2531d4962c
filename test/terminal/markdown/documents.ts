import { fc } from '../../support/properties.ts';

/** Marks and words of Markdown, to be joined at random. */
export const fragments: readonly string[] =
  '* _ ~ ` [ ] ( ) < > ! | # - + = : & \\ ** ``` ~~~ ]( 1. |---| a word 日本 é 😀 http://x.y &amp; &#27; <b> ts . $ $$ \\( \\) \\[ \\] \\begin{a} \\end{a}'.split(
    ' ',
  );
const spaces = [' ', '  ', '    ', '\n', '\n\n', '\n> ', '\n- ', '\n  ', '  \n', '\\\n', '\t'];

/** Any Markdown of these parts. */
export function markdownOf(parts: readonly string[]) {
  return fc
    .array(fc.constantFrom(...parts, ...parts, ...spaces, ...spaces), { maxLength: 60 })
    .map((found) => found.join(''));
}

/** The text in pieces. */
export function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])];
  places.sort((one, other) => one - other);
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}

/** Markdown of every kind natter renders, as models write it; each is used whole and in pieces. */
export const documents: Readonly<Record<string, string>> = {
  prose: `# Title with \`code\` and **bold**
Some *em* and **strong text** with \`a code span\` and a [link](https://example.com/a_b "title") and
https://bare.example/x_y_z plus <https://auto.example/>, about ~5 min and ~10 min, ~~gone~~ &amp; &hellip; done.
Hard break here  
next line\\
third, snake_case_word, 2 * 3 * 4 = 24, a*b*c, __init__ and _under_.

Unclosed **bold here and \`code there and [link](http://x
with a <tag that never ends & an entity &nosuch; and a trailing backslash \\

***bold italic*** **bold *nested italic* bold** *a **b** c* ** spaced ** ****four****
![image *alt*](http://img.example/a.png) ![](http://img.example/b.png) [](http://empty.example) [none]()
me@example.com www.example.com. Escapes: \\* \\_ \\\` \\[x\\] \\# end.
`,
  lists: `- item one
- item **two**
  continued here
  - nested \`x\`
    1. deep
       deeper text
* other bullet
+ plus

1. First:
   \`\`\`ts
   const x = 1; // c
   \`\`\`
2. Second
  - lenient bullet
10) Paren

- [x] done
- [ ] open

-
- after empty

  paragraph in item

      indented in item
`,
  quotes: `> quote text
> more text
>
> - in quote
> - again
lazy line

> > nested
> back

> \`\`\`py
> def f(): pass
> \`\`\`
after
`,
  tables: `Before the table:
| Name | 价格 | Note |
|:-----|-----:|:---:|
| a \\| b | 10 | **x** |
| 日本語 | 2000 | family 👨‍👩‍👧‍👦 and more |
| short |
| too | many | cells | here | now |
After the table.

Name | Age
--- | ---
Bob | 12

| not | a table
| really

| only | header |
|---|---|
`,
  code: `\`\`\`ts title="a.ts"
const x: string = \`template
over lines\`;

/* comment
still */ let y = 1;
\`\`\`
~~~~
tilde with \`\`\` inside
~~~
~~~~
    indented code

    more of it
text

\`\`\`not a fence\`\`\` but text

\`\`\`\`markdown
\`\`\`js
inner
\`\`\`
\`\`\`\`

\`\`\`unclosed
last **line**`,
  blocks: `Setext
======

Another
---

***
___
- - -

<div class="x">
html *not em*
</div>

<!-- a comment

with a blank line --> done
<think>
inside
</think>

[1]: https://ref.example
[^2]: footnote text

#hashtag is text
####### seven is text
### closed ###
#
`,
  languages: `中文**强调**文字\`代码\`继续，没有空格的很长的句子，**「引号」**后面。これは*日本語*です。
العربية **غامق** نص. 👨‍👩‍👧‍👦 emoji 🎉**bold**🎉 e\u0301 می‌خواهم

한국어 **굵게** 텍스트
`,
  mathematics: String.raw`Inline \(a\,b\) and $x_1*y_2*z$ and **bold $\{x\}$ bold**, \*not\*, costs $5 and $10,
$$ a \\ b \, c $$ in text, and display:
\[
  f(x) = \begin{cases} 1 & x > 0 \\
- 1 & x \le 0
= 2
\end{cases}

\]
- an item:
  $$
  \{ y \mid y \}
  $$
\begin{align*}
a &= b \\
# c &= d
\end{align*}
| $\|x\|$ | \| |
|---|---|
| $a\_b$ | \(c\) \| |

Never closed: \( a * b * c, \[ d, $e \* f, $$ g
\[
h \{ i
# Title
Shell: $HOME/x_y and $$, \$7.
`,
  hostile: `&#27;[31m &#x1b;]52;c;eA==&#7; &#155;31m &#x202e;abc &#8203; [a](http://x&#27;b "&#27;[2J") \`&#27;[1m\`
<http://a&#27;> ![&#27;[3J](u) | &#27;c |
|---|
| &#27;]0;t&#7; |
`,
};
