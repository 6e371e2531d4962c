// Stands in for wrap-ansi in the bundle: the same function, a third of the time.
export { wrapAnsi as default } from 'fast-wrap-ansi';
