// The table of HTML entities: a separate file of the package, which the program and the library share.
export { decodeHTMLStrict } from 'entities/decode';
