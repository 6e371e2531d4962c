// Takes the place of bin/compile-cache.cjs in the executable, which has its compiled code already.
module.exports = { loadProgram: () => require('../dist/main.cjs') };
