// The style and the script of an exported page; the policy of the page allows exactly these texts.

export const pageStyle = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2127; --dim: #59626e; --line: #d3d9e0; --code: #f4f6f8; --you: #2f6fdb; --link: #0b57d0; font: 1rem/1.6 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191d; --ink: #e4e7eb; --dim: #a0a9b5; --line: #3a424c; --code: #20252b; --you: #7fb0ff; --link: #8ab8ff; } }
body { background: var(--paper); color: var(--ink); max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
a { color: var(--link); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
header p, article > h2 { color: var(--dim); font-size: .9rem; margin: 0 0 .5rem; }
article > h2 { font-weight: 600; }
article { margin: 2rem 0; overflow-wrap: anywhere; content-visibility: auto; contain-intrinsic-size: auto 16rem; }
h1, .typed, .text :is(p, li, h3, h4, h5, h6, th, td) { unicode-bidi: plaintext; }
.text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
.text :is(h3, h4, h5, h6) { line-height: 1.3; margin: 1.4em 0 .5em; }
h3 { font-size: 1.25rem; } h4 { font-size: 1.1rem; } h5, h6 { font-size: 1rem; }
.typed { white-space: pre-wrap; }
.user > .text { border-inline-start: 3px solid var(--you); padding-inline-start: 1rem; }
blockquote { margin-inline: 0; border-inline-start: 3px solid var(--line); padding-inline-start: 1rem; color: var(--dim); }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
:not(pre) > code { background: var(--code); border-radius: .25rem; padding: .1em .3em; }
pre { overflow-x: auto; margin: 0; padding: .75rem 1rem; tab-size: 4; }
pre code { font-size: 1em; }
.code, details { margin: 1rem 0; border: 1px solid var(--line); border-radius: .4rem; background: var(--code); }
figcaption, summary { color: var(--dim); font-size: .85rem; padding: .25rem 1rem; }
figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 1.6rem; border-bottom: 1px solid var(--line); }
.copy { display: none; font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: .25rem; padding: 0 .6rem; cursor: pointer; }
.scripted .copy { display: inline-block; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; overflow-wrap: normal; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; }
li:has(> input) { list-style: none; }
li > input { margin: 0 .4rem 0 -1.25rem; }
.math { white-space: pre-wrap; }
hr { border: 0; border-top: 1px solid var(--line); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#status { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --dim: #444; --line: #bbb; --code: #fff; --you: #666; --link: #000; }
  body { max-width: none; margin: 0; font-size: 10.5pt; }
  article { content-visibility: visible; }
  article > h2, h3, h4, h5, h6 { break-after: avoid; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .scripted .copy, figcaption:has(> span:empty) { display: none; }
  td { overflow-wrap: anywhere; }
  .text a[href^="http"]:not(.bare)::after { content: " (" attr(href) ")"; color: var(--dim); }
}
`;

/** Without the permission to write to the clipboard, the code is copied as a selection, or stays selected. */
export const pageScript = `
document.documentElement.classList.add('scripted');
const say = (button, text, status) => {
  button.textContent = text;
  document.getElementById('status').textContent = status;
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
};
const copySelected = (code) => {
  const range = document.createRange();
  range.selectNodeContents(code);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  return document.execCommand('copy');
};
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button.copy');
  if (button === null) return;
  const code = button.closest('figure').querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    if (!copySelected(code)) return say(button, 'Selected', 'The code is selected');
  }
  say(button, 'Copied', 'The code was copied');
});
`;
