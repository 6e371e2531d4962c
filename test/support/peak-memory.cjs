// Preloaded with --require: at the exit, writes the peak memory of the process in kilobytes to $PEAK_MEMORY.
const { writeFileSync } = require('node:fs');
process.on('exit', () =>
  writeFileSync(process.env.PEAK_MEMORY, String(process.resourceUsage().maxRSS)),
);
