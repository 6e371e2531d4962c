// Preloaded with --require: writes the most memory the process ever held, in kilobytes, to $PEAK_MEMORY when it ends.
const { writeFileSync } = require('node:fs');
process.on('exit', () =>
  writeFileSync(process.env.PEAK_MEMORY, String(process.resourceUsage().maxRSS)),
);
