const section = `## Light and air

The sky is **blue** because *air* scatters short waves more than long ones; 光は空気の中で散らばる 🌤.
The \`intensity\` grows with the fourth power of the frequency, and the paragraph goes on for a good while,
as paragraphs of answers do, so that it takes more than one row of most windows.

- Red light passes almost undisturbed,
- which is why the sun sets red;
- violet is scattered most, but there is less of it.

\`\`\`
intensity = constant / wave ** 4
\`\`\`

`;

const pieceLength = 6;

/** `count` deltas of six characters of an answer that repeats: Markdown with CJK and emoji. */
export function* deltas(count: number): Generator<string, void> {
  const characters = Array.from(section);
  for (let index = 0; index < count; index += 1) {
    let piece = '';
    for (let part = 0; part < pieceLength; part += 1) {
      piece += characters[(index * pieceLength + part) % characters.length] ?? '';
    }
    yield piece;
  }
}
