// Preloaded with --require: writes the CPU time of the process, in milliseconds, to the file of NATTER_BENCH_USAGE.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  writeFileSync(
    process.env.NATTER_BENCH_USAGE,
    JSON.stringify({ cpu: (user + system) / 1000, maxRSS }),
  );
});
