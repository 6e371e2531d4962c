// Replaces stack-utils in the bundle: Ink uses it for its page about an error, which natter never shows.
export default class StackUtils {
  static nodeInternals() {
    return [];
  }

  clean(stack) {
    return stack;
  }

  parseLine() {
    return null;
  }
}
