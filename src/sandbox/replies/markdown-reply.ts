import type { Reply } from './reply.ts';

const inline = `# Heading one

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

`;

const lists = `- first
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

`;

const blocks = `> A quotation
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

/** Every construct of CommonMark and of the usual extensions, the unclosed ones last. */
export const markdownReply: Reply = function* write() {
  yield inline;
  yield lists;
  yield blocks;
};
