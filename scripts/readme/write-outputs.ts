// `npm run readme` runs the README's examples and writes their outputs into the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { openExamples, readmeExamples, withoutFigures } from './run-examples.ts';

let readme = readFileSync('README.md', 'utf8');
const examples = await openExamples();
for (const example of readmeExamples(readme)) {
  const output = await examples.run(example);
  const before = `${example.commands}\`\`\`\n\n\`\`\`text\n`;
  // Figures that differ from run to run change only with the text around them.
  if (withoutFigures(output) === withoutFigures(example.output)) continue;
  readme = readme.replace(`${before}${example.output}`, () => `${before}${output}`);
}
await examples.close();
writeFileSync('README.md', readme);
