// Preloaded with --require: at the exit, writes the size of V8's young generation in bytes to $YOUNG_GENERATION.
const { writeFileSync } = require('node:fs');
const { getHeapSpaceStatistics } = require('node:v8');
process.on('exit', () => {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  writeFileSync(process.env.YOUNG_GENERATION, String(young.space_size));
});
