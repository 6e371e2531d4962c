// Bundles natter and its library: part of `npm run build`. Rolldown's own command would list some 240 files.
import { rolldown } from 'rolldown';
import configurations from '../../rolldown.config.js';
import { writeLicences } from '../bundle/licenses.js';

for (const { output, ...input } of configurations) {
  const bundle = await rolldown(input);
  await bundle.write(output);
  await bundle.close();
}
writeLicences();
