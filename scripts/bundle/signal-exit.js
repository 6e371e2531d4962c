// Replaces signal-exit in the bundle: natter restores the terminal itself.
const nothing = () => undefined;

export default function signalExit() {
  return nothing;
}
