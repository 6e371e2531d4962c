// Bundles natter and its library: part of `npm run build`. Both are bundled here in one process, instead of by rolldown's
// command, because the list of bundled packages is written at the end, from what is in either of them.
import { rolldown } from 'rolldown';
import configurations from '../../rolldown.config.js';
import { writeLicences } from '../bundle/licenses.js';

for (const { output, ...input } of configurations) {
  const bundle = await rolldown(input);
  await bundle.write(output);
  await bundle.close();
}
writeLicences();
