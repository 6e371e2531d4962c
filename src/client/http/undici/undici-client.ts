// The part of undici that natter uses: a separate file of the package, which the program and the library share.
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
