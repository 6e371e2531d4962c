import type { Conversation } from '../../src/conversation/tree.ts';
import { conversationOf } from '../support/repl-state.ts';

/** Each would set `ran` or load something if it worked; `ID` is replaced by its number. */
export const vectors = [
  '<script>ran(ID)</script>',
  '<img src="https://evil.example/ID" onerror="ran(ID)">',
  '<svg onload="ran(ID)"><script>ran(ID)</script></svg>',
  '<iframe src="javascript:parent.ran(ID)"></iframe>',
  '<iframe srcdoc="<script>parent.ran(ID)</script>"></iframe>',
  '<details open ontoggle="ran(ID)">x</details>',
  '<video><source onerror="ran(ID)"></video>',
  '<input autofocus onfocus="ran(ID)">',
  '<link rel="stylesheet" href="https://evil.example/ID.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/ID">',
  '<base href="https://evil.example/">',
  '<object data="https://evil.example/ID"></object>',
  '<form action="https://evil.example/ID"><button autofocus>x</button></form>',
  '<style>@import "https://evil.example/ID.css";</style>',
  '<div style="background:url(https://evil.example/ID)">x</div>',
  '</div></article></main><script>ran(ID)</script>',
  '</style><script>ran(ID)</script>',
  '<!--><script>ran(ID)</script>-->',
  '<math><mtext><table><mglyph><style><img src=x onerror=ran(ID)></style></mglyph></table></mtext></math>',
  '[x](javascript:ran(ID))',
  '[x](java&#115;cript:ran(ID))',
  '[x](&#x6a;avascript:ran(ID) "t")',
  '[x](data:text/html,<script>ran(ID)</script>)',
  '[x](vbscript:ran(ID))',
  '<javascript:ran(ID)>',
  '[x](https://e.example/"onmouseover="ran(ID))',
  '[x](https://e.example "a\\" onclick=ran(ID) b=\\"")',
  '![x](https://evil.example/ID.png)',
  '![x"onerror="ran(ID)](x)',
  '![x](javascript:ran(ID))',
  '[x]: javascript:ran(ID)\n\n[x]',
  '```"><script>ran(ID)</script>\ncode\n```',
  '```js" onclick="ran(ID)\ncode\n```',
  '```\n</code></pre><script>ran(ID)</script>\n```',
  '`</code><script>ran(ID)</script>`',
  '$<script>ran(ID)</script>$',
  '$$\n</code><script>ran(ID)</script>\n$$',
  '\\(<img src=x onerror=ran(ID)>\\)',
  '| <script>ran(ID)</script> | b |\n| --- | --- |\n| <img src=x onerror=ran(ID)> | x |',
  '# <script>ran(ID)</script>',
  '- [x] <script>ran(ID)</script>',
  '&lt;script&gt;ran(ID)&lt;/script&gt;',
  '<scr\u0000ipt>ran(ID)</scr\u0000ipt>',
  '\u202E<script>ran(ID)</script>',
  '<file name="x"><script>ran(ID)</script></file>',
];

export function hostileConversation(): Conversation {
  const numbered = vectors.map((vector, index) => vector.replaceAll('ID', String(index)));
  const file = '<file name="&lt;script>ran(1)&lt;/script>.md">\n<script>ran(2)</script>\n</file>';
  const conversation = conversationOf(
    ...numbered.flatMap((content, index) => [
      { role: 'user' as const, content: index % 2 === 0 ? content : `${content}\n\n${file}` },
      { role: 'assistant' as const, content, model: content },
    ]),
  );
  return { ...conversation, title: '</title><script>ran(3)</script>' };
}
