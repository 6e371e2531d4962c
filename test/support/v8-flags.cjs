// Preloaded with --require: appends each flag that the program sets to $V8_FLAGS, a line each.
const { appendFileSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const v8 = require('node:v8');
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flags) => {
  appendFileSync(process.env.V8_FLAGS, `${flags}\n`);
  setFlagsFromString(flags);
};
syncBuiltinESMExports();
