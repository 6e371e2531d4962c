#!/usr/bin/env node
// From Node 22 on: keeps what V8 compiled for the next start.
require('node:module').enableCompileCache?.();
require('../dist/main.cjs');
